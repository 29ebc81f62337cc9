/** A rotation of the master key loses no sealed value, wherever it is interrupted. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync, chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { JobdError } from '../../../src/domain/errors.ts';
import { createJob, getJob, updateJob } from '../../../src/app/jobs/jobs.ts';
import { openStoreVault, rotateMasterKey } from '../../../src/app/secrets/master-keys.ts';
import { ensureSigningKey } from '../../../src/app/proof/signing-keys.ts';
import { openTestLocal } from '../../support/running/local.ts';
import type { Local } from '../../../src/serve/local-store.ts';
import { placeOf } from '../../../src/domain/secrets/vault.ts';
import { openSigningKey } from '../../../src/receipt/keyring.ts';
import type { MasterKeys } from '../../../src/secrets/master-keys.ts';
import { sealedBy } from '../../../src/secrets/seal.ts';
import { jobColumns, jobOf } from '../../../src/store/jobs/jobs.ts';
import { listMasterKeys } from '../../../src/store/secrets/master-keys.ts';
import { findActiveSigningKey } from '../../../src/store/proof/signing-keys.ts';
import { quietApp } from '../../support/running/app.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { loopback } from '../../support/running/store.ts';
import { writerIn } from '../../support/records/principal.ts';

const jobCount = 250;

/** A store with sealed jobs and a signing key, as a daemon leaves it. */
async function setup(t: TestContext) {
  const dataDir = temporaryDirectory(t);
  const local = await openTestLocal(dataDir);
  t.after(() => local[Symbol.asyncDispose]());
  const vault = await local.openVault();
  await ensureSigningKey({ ...local, vault });
  const workspace = await local.store.db.selectFrom('workspaces').select('id').executeTakeFirst();
  const principal = writerIn(workspace?.id ?? '');
  const app = quietApp({ ...local, vault, allowTargets: loopback });
  const ids: string[] = [];
  for (let number = 0; number < jobCount; number += 1) {
    const headers = { 'X-Key': `canary-header-${number}` };
    const job = { name: 'a', url: 'http://127.0.0.1:1/', method: 'POST' } as const;
    ids.push((await createJob(app, principal, { ...job, headers, body: `body-${number}` })).id);
  }
  return { dataDir, local, app, principal, ids, keyFile: join(dataDir, 'secret-key') };
}

/** Opens all values, as a new process would. */
async function readAll({ store, clock, masterKeys }: Local): Promise<string[]> {
  const vault = await openStoreVault({ store, clock, masterKeys });
  const rows = await store.db.selectFrom('jobs').select(jobColumns).orderBy('id').execute();
  const key = await findActiveSigningKey(store.db);
  assert.ok(key);
  openSigningKey(vault, key);
  return rows.map((row) => vault.open(row.sealed ?? '', placeOf('jobs', jobOf(row))));
}

async function sealers({ store }: Local): Promise<Set<string | undefined>> {
  const rows = await store.db
    .selectFrom('jobs')
    .select('sealed')
    .union(store.db.selectFrom('signing_keys').select('sealed'))
    .execute();
  return new Set(rows.map(({ sealed }) => sealedBy(sealed ?? '')));
}

const keyOf = (name: string, text: string | null) => (text === null ? null : { name, text });

test('a rotation seals everything again and leaves nothing that the old key opens', async (t) => {
  const { local, keyFile } = await setup(t);
  const before = await readAll(local);
  const oldFile = readFileSync(keyFile, 'utf8');
  // A draft of a process that was killed while it wrote the file.
  writeFileSync(`${keyFile}.4711`, oldFile);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
  const { keyId, resealed } = await rotateMasterKey(local);
  assert.equal(resealed, jobCount + 1);
  assert.deepEqual(await sealers(local), new Set([keyId]));
  assert.deepEqual(await readAll(local), before);
  assert.ok(!existsSync(`${keyFile}.4711`), 'no copy of the old key is left');
  const newFile = readFileSync(keyFile, 'utf8');
  assert.equal(newFile.trim().split('\n').length, 1);
  assert.notEqual(newFile, oldFile);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
});

/** The parts of a rotation that dies before its n-th step. */
function dyingAt(local: Local, n: number) {
  let steps = 0;
  const alive = (): void => {
    steps += 1;
    if (steps >= n) throw new Error('it died');
  };
  const masterKeys: MasterKeys = {
    ...local.masterKeys,
    makeNext(active) {
      alive();
      local.masterKeys.makeNext(active);
    },
    keepOnly(active) {
      alive();
      local.masterKeys.keepOnly(active);
    },
  };
  const store: Local['store'] = {
    ...local.store,
    write(work) {
      alive();
      return local.store.write(work);
    },
  };
  return { store, masterKeys, clock: local.clock };
}

test('a rotation that dies at any of its steps leaves everything readable, and the next one finishes it', async (t) => {
  const { local, app, principal, ids } = await setup(t);
  const before = await readAll(local);
  let deaths = 0;
  for (let isOver = false; !isOver && deaths < 100; deaths += 1) {
    isOver = await rotateMasterKey(dyingAt(local, deaths + 1)).then(
      () => true,
      (error: Error) => {
        assert.equal(error.message, 'it died');
        return false;
      },
    );
    assert.deepEqual(await readAll(local), before, `after ${deaths} steps`);
    if (isOver) continue;
    // A daemon that ran all the time continues, too.
    const id = ids[deaths] ?? '';
    await updateJob(app, principal, id, { notes: `${deaths}` });
    assert.equal((await getJob(app, principal, id)).body, `body-${deaths}`);
    const { keyId } = await rotateMasterKey(local);
    assert.deepEqual(await sealers(local), new Set([keyId]));
    assert.deepEqual(await readAll(local), before);
  }
  // New key, activation, three pages of jobs, one of keys of receipts, one of keys of calls, one of channels, one of the secret of reports, the end, the file, and the one that lives.
  assert.equal(deaths, 12);
});

test('a value that cannot be opened stops a rotation before anything changes', async (t) => {
  const { local, ids, app, principal, keyFile } = await setup(t);
  const [first = '', second = ''] = ids;
  const { db } = local.store;
  const row = await db
    .selectFrom('jobs')
    .select('sealed')
    .where('id', '=', first)
    .executeTakeFirst();
  await db
    .updateTable('jobs')
    .set({ sealed: row?.sealed ?? '' })
    .where('id', '=', second)
    .execute();
  const before = readFileSync(keyFile, 'utf8');
  await assert.rejects(rotateMasterKey(local), {
    code: 'unavailable',
    message: new RegExp(`^jobs/${second} cannot be opened: nothing was changed, .*, then rotate$`),
  });
  assert.equal(readFileSync(keyFile, 'utf8'), before);
  assert.equal((await listMasterKeys(local.store.db)).length, 1);
  assert.equal((await getJob(app, principal, first)).body, 'body-0');
  assert.match((await getJob(app, principal, second)).downReason ?? '', /cannot be opened/);
  await assert.rejects(updateJob(app, principal, second, { body: 'a half' }), {
    code: 'unavailable',
  });
  // Setting both again repairs the job.
  await updateJob(app, principal, second, { headers: { 'X-Key': 'new' }, body: 'new' });
  assert.equal((await getJob(app, principal, second)).body, 'new');
  assert.equal((await rotateMasterKey(local)).resealed, jobCount + 1);
});

test('a damaged value of a deleted job does not stop a rotation', async (t) => {
  const { local, ids } = await setup(t);
  const [first = ''] = ids;
  const damaged = { sealed: 'damaged', deleted_at: 1, next_run_at: null };
  await local.store.db.updateTable('jobs').set(damaged).where('id', '=', first).execute();
  assert.equal((await rotateMasterKey(local)).resealed, jobCount);
});

test('damage during a rotation leaves it unfinished, with both keys', async (t) => {
  const { local, ids, keyFile } = await setup(t);
  const last = ids.toSorted().at(-1) ?? '';
  let steps = 0;
  const store: Local['store'] = {
    ...local.store,
    async write(work) {
      steps += 1;
      const damaged = { sealed: 'damaged' };
      const update = local.store.db.updateTable('jobs').set(damaged).where('id', '=', last);
      if (steps === 2) await update.execute();
      return await local.store.write(work);
    },
  };
  await assert.rejects(rotateMasterKey({ ...local, store }), { code: 'unavailable' });
  assert.equal(readFileSync(keyFile, 'utf8').trim().split('\n').length, 2);
  assert.equal((await listMasterKeys(local.store.db)).length, 2);
});

const troubles: [string, RegExp, (keyFile: string) => void][] = [
  ['is gone', /master key of this store is \w{16}, but in .*secret-key there is none$/, rmSync],
  [
    'is another',
    /master key of this store is (\w{16}), but in .*secret-key there is (?!\1)\w{16}$/,
    (file) => writeFileSync(file, Buffer.alloc(32, 7).toString('base64')),
  ],
  [
    'is cut short',
    /^line 1 of .*secret-key must be 32 random bytes/,
    (file) => writeFileSync(file, 'abc'),
  ],
  ['is empty', /secret-key is empty: put your copy/, (file) => writeFileSync(file, '')],
  [
    'may be read by everybody',
    /secret-key may be read by everybody \(mode 0644\): chmod 600/,
    (file) => chmodSync(file, 0o644),
  ],
];

for (const [how, words, harm] of troubles) {
  test(`a master key that ${how} is reported in a sentence, and nothing is written`, async (t) => {
    const { local, keyFile, dataDir } = await setup(t);
    harm(keyFile);
    const before = existsSync(keyFile) && readFileSync(keyFile, 'utf8');
    const rows = () => local.store.db.selectFrom('master_keys').selectAll().execute();
    const known = await rows();
    await using again = await openTestLocal(dataDir);
    await assert.rejects(again.openVault(), (error: Error) => {
      assert.equal(error.name, 'JobdError');
      assert.match(error.message, words);
      return true;
    });
    assert.equal(existsSync(keyFile) && readFileSync(keyFile, 'utf8'), before);
    assert.deepEqual(await rows(), known);
  });
}

test('a rotation to a key in the environment keeps the file; the old key opens nothing', async (t) => {
  const { local, dataDir, keyFile } = await setup(t);
  const { masterKeysFor } = await import('../../../src/serve/local-store.ts');
  const before = await readAll(local);
  const file = readFileSync(keyFile, 'utf8');
  const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('hex'));
  const keysFor = (current: string | null, next: string | null) =>
    masterKeysFor(
      { dataDir, database: null },
      {
        current: keyOf('JOBD_SECRET_KEY', current),
        next: keyOf('JOBD_SECRET_KEY_NEW', next),
      },
    );
  const rotate = (current: string | null, next: string) =>
    rotateMasterKey({ ...local, masterKeys: keysFor(current, next) });
  const { keyId } = await rotate(null, first!);
  assert.equal(readFileSync(keyFile, 'utf8'), file);
  const given = (current: string) => keysFor(current, null);
  assert.deepEqual(await readAll({ ...local, masterKeys: given(first!) }), before);
  await assert.rejects(
    readAll(local),
    new RegExp(`master key of this store is ${keyId}, but in .*secret-key`),
  );
  await assert.rejects(rotate(first!, first!), /JOBD_SECRET_KEY_NEW must be another key/);
  await rotate(first!, second!);
  assert.deepEqual(await readAll({ ...local, masterKeys: given(second!) }), before);

  // An interrupted rotation needs both keys, and says so.
  const dying = {
    ...local,
    masterKeys: keysFor(second!, first!),
  };
  await assert.rejects(rotateMasterKey(dyingAt(dying, 3)), /it died/);
  for (const one of [first!, second!]) {
    await assert.rejects(readAll({ ...local, masterKeys: given(one) }), ({ notes }: JobdError) =>
      /give jobd secrets rotate both/.test(notes.at(-2) ?? ''),
    );
  }
  await rotate(second!, first!);
  assert.deepEqual(await readAll({ ...local, masterKeys: given(first!) }), before);
});
