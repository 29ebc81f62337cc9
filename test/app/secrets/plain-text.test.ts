/** A store of a jobd that sealed nothing: its first start seals, and leaves nothing in the raw bytes. */

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { Kysely } from 'kysely';
import { listJobs } from '../../../src/app/jobs/jobs.ts';
import { sealPlainText } from '../../../src/app/secrets/plain-text.ts';
import { serveConfig } from '../../../src/config.ts';
import { startDaemon } from '../../../src/daemon.ts';
import { openLocal } from '../../../src/local-store.ts';
import { openLog } from '../../../src/log.ts';
import { signingKeyOf } from '../../../src/receipt/sign.ts';
import * as first from '../../../src/store/database/migrations/0001_first.ts';
import * as receipts from '../../../src/store/database/migrations/0002_receipts.ts';
import { sqliteDialect } from '../../../src/store/database/sqlite.ts';
import { quietApp } from '../../support/running/app.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const jobCount = 450;

/** Makes it, with as much freed text in the file as a year of use leaves. */
async function oldStore(t: TestContext) {
  const dataDir = temporaryDirectory(t);
  const path = join(dataDir, 'jobd.db');
  const db = new Kysely<unknown>({ dialect: sqliteDialect(path) });
  for (const migration of [first, receipts]) await migration.up(db);
  await db.destroy();
  const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  const raw = new Database(path);
  raw.exec(`create table migrations (version bigint not null primary key,
    applied_at text not null default current_timestamp);
    insert into migrations (version) values (1), (2);
    insert into workspaces values ('w', 'default', 0);
    insert into signing_keys values ('${key.keyId}', '${key.publicKey}', 0, null)`);
  const insert = raw.prepare(
    `insert into jobs (id, workspace_id, name, url, host, method, headers, body, schedule_type, timezone,
       period_seconds, anchor_at, timeout_seconds, retries, notes, paused, health, created_at)
     values (?, 'w', 'a', 'http://127.0.0.1:1/', '127.0.0.1', 'POST', ?, ?, 'period', 'UTC', 60, 0, 30, 0, '', 1,
       'new', 0)`,
  );
  for (let number = 0; number < jobCount; number += 1) {
    const headers = number % 3 === 0 ? {} : { 'X-Key': `canary-header-${number}` };
    const body = number % 2 === 0 ? `canary-body-${number} `.repeat(1 + (number % 400)) : null;
    insert.run(`job-${String(number).padStart(4, '0')}`, JSON.stringify(headers), body);
  }
  raw.exec(`delete from jobs where cast(substr(id, 5) as integer) % 5 = 0;
    update jobs set deleted_at = 1 where id = 'job-0001'`);
  raw.close();
  const pem = String(key.privateKey.export({ format: 'pem', type: 'pkcs8' }));
  mkdirSync(join(dataDir, 'signing-keys'), { mode: 0o700 });
  writeFileSync(join(dataDir, 'signing-keys', `${key.keyId}.pem`), pem, { mode: 0o600 });
  return { dataDir, key, pem };
}

/** Every byte of the directory, as text. */
function rawBytes(dataDir: string): string {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}

async function startOn(t: TestContext, dataDir: string, flags = {}) {
  const config = serveConfig({ data: dataDir, port: '0', ...flags }, {});
  const daemon = await startDaemon(config, openLog('silent'));
  t.after(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

test('the first start seals what is there, and no raw byte tells it any more', async (t) => {
  const { dataDir, key, pem } = await oldStore(t);
  assert.match(rawBytes(dataDir), /canary-header-[^]*canary-body-/);
  const daemon = await startOn(t, dataDir);
  const raw = rawBytes(dataDir);
  assert.doesNotMatch(raw, /canary/);
  assert.ok(!raw.includes(pem.split('\n')[1] ?? pem), 'the private key');
  assert.ok(!existsSync(join(dataDir, 'signing-keys')));
  const { keyId } = (await (await fetch(`${daemon.url}/api/v1/receipts/key`)).json()) as typeof key;
  assert.equal(keyId, key.keyId, 'the same key signs');
  await daemon[Symbol.asyncDispose]();
  assert.doesNotMatch(rawBytes(dataDir), /canary/);

  await using local = await openLocal(dataDir);
  const app = quietApp({ ...local, vault: await local.openVault() });
  const principal = {
    keyId: '',
    workspaceId: 'w',
    permission: 'write',
    accountExpiresAt: null,
  } as const;
  const { items } = await listJobs(app, principal, { limit: 1_000, cursor: null });
  assert.equal(items.length, (jobCount * 4) / 5 - 1);
  for (const { id, headers, body } of items) {
    const number = Number(id.slice(4));
    const value = number % 3 === 0 ? undefined : `canary-header-${number}`;
    assert.equal(headers['X-Key'], value);
    assert.equal(
      body?.startsWith(`canary-body-${number} `) ?? null,
      number % 2 === 0 ? true : null,
    );
  }
});

test('a start that dies at any step is gone on with by the next', async (t) => {
  const { dataDir } = await oldStore(t);
  let deaths = 0;
  for (let isOver = false; !isOver && deaths < 20; deaths += 1) {
    await using local = await openLocal(dataDir);
    const vault = await local.openVault();
    let writes = 0;
    const write: typeof local.store.write = (work) => {
      // Each life writes one transaction.
      if (writes === 1) throw new Error('it died');
      writes += 1;
      return local.store.write(work);
    };
    isOver = await sealPlainText({ ...local.store, write }, vault).then(
      () => true,
      () => false,
    );
  }
  assert.ok(deaths > 2, `${deaths}`);
  const daemon = await startOn(t, dataDir);
  await daemon[Symbol.asyncDispose]();
  assert.doesNotMatch(rawBytes(dataDir), /canary/);
});

test('while another process reads, the file is not rewritten; the next start does it', async (t) => {
  const { dataDir } = await oldStore(t);
  await using local = await openLocal(dataDir);
  const vault = await local.openVault();
  const reader = new Database(join(dataDir, 'jobd.db'), { readonly: true });
  reader.exec('begin; select count(*) from jobs');
  reader.prepare('select count(*) from jobs').get();
  assert.match((await sealPlainText(local.store, vault)) ?? '', /reads the store|cannot be used/);
  reader.close();
  assert.equal(await sealPlainText(local.store, vault), null);
  assert.doesNotMatch(rawBytes(dataDir), /canary-(?:header|body)/);
  assert.equal(await sealPlainText(local.store, vault), null, 'nothing is left to be done');
});

test('without signing, too, a private key does not stay a plain file', async (t) => {
  const { dataDir } = await oldStore(t);
  const daemon = await startOn(t, dataDir, { signing: false });
  await daemon[Symbol.asyncDispose]();
  assert.ok(!existsSync(join(dataDir, 'signing-keys')));
});
