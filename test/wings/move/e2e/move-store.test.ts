/** A store moves from a file to a server and back: all of it, or it continues later. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import type { Progress } from '../../../../src/wings/move/move-store.ts';
import { tablesIn } from '../../../../src/store/database/migrate.ts';
import { movedTables, ownTables } from '../../../../src/wings/move/tables.ts';
import type { Db } from '../../../../src/store/database/store.ts';
import { openAsItIs, openStore } from '../../../../src/store/open.ts';
import { makeDemo } from '../../../support/demo/demo.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { move } from '../../../support/moving.ts';
import { makeEmptyDatabase } from '../../../support/postgres/database.ts';
import { postgresOfFile } from '../../../support/postgres/server.ts';

const { skip, started } = postgresOfFile();

/** The files of a data directory in which each table that moves has rows, by their names. */
let files: ReadonlyMap<string, Buffer> | undefined;

/** A data directory with these files. */
async function filled(t: TestContext): Promise<string> {
  const dataDir = temporaryDirectory(t);
  if (files === undefined) {
    await fill(dataDir);
    const names = readdirSync(dataDir);
    files = new Map(names.map((name) => [name, readFileSync(join(dataDir, name))]));
  } else {
    for (const [name, bytes] of files) writeFileSync(join(dataDir, name), bytes, { mode: 0o600 });
  }
  return dataDir;
}

async function fill(dataDir: string): Promise<void> {
  await makeDemo(dataDir, { nowMs: Date.now(), targetUrl: 'http://127.0.0.1:9' });
  await using store = await openStore(dataDir);
  const { db } = store;
  await db
    .updateTable('runs')
    .set({ response_body: 'zero \0 and half' })
    .where('status', '=', 'success')
    .where('id', 'in', (of) =>
      of.selectFrom('runs').select('id').where('status', '=', 'success').limit(3),
    )
    .execute();
  const workspace = await db.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  const some = { workspace_id: workspace.id, permission: 'write', is_owner: 1 } as const;
  await db
    .insertInto('sign_in_codes')
    .values({ ...some, sha256: 'ab'.repeat(32), expires_at: 1 })
    .execute();
  const badge = { id: 'b', workspace_id: workspace.id, name: 'acme', sha256: 'ef'.repeat(32) };
  await db
    .insertInto('badges')
    .values({ ...badge, selector: 'a=b', created_at: 1 })
    .execute();
  await db.updateTable('instance').set({ site_url: 'https://jobs.example.com' }).execute();
  const channel = await db.selectFrom('channels').select('id').executeTakeFirstOrThrow();
  const digest = { channel_id: channel.id, event: 'job.missed', due_at: 5 } as const;
  await db.insertInto('digests').values(digest).execute();
  const job = await db.selectFrom('jobs').select('id').executeTakeFirstOrThrow();
  const change = { type: 'job.failed', failures: 1, data: null, run_id: null } as const;
  const about = { id: 'a change', workspace_id: workspace.id, subject_id: job.id };
  const when = { at: 3, position: 1 };
  await db
    .insertInto('outbox')
    .values({ ...change, ...about, ...when })
    .execute();
  const request = { key_sha256: 'cd', request_mac: 'ef', subject_id: job.id, made_at: 4 };
  await db
    .insertInto('made_once')
    .values({ workspace_id: workspace.id, ...request })
    .execute();
  const figures = { jobs: 1, called: 1, missed: 0, explained: 0, unaccounted: 0, unexpected: 0 };
  await db
    .insertInto('ledger_checks')
    .values({ checked_at: 2, after_at: 1, ...figures, example: null })
    .execute();
  await keepWaitAndKeys(db);
}

/** A wait that is over, and the keys of reports and of calls. They are moved sealed, whatever they are. */
async function keepWaitAndKeys(db: Db): Promise<void> {
  const run = await db.selectFrom('runs').select('id').executeTakeFirstOrThrow();
  const report = {
    outcome: 'success',
    reported_at: 2,
    reported_by: 'target',
    message: 'done',
  } as const;
  await db
    .insertInto('reports')
    .values({ run_id: run.id, accepted_at: 1, expires_at: 3, percent: 40, ...report })
    .execute();
  const sealing = db.selectFrom('signing_keys').select('sealed').where('sealed', 'is not', null);
  const sealed = (await sealing.executeTakeFirstOrThrow()).sealed ?? '';
  await db.insertInto('report_keys').values({ id: 'key', created_at: 1, sealed }).execute();
  const times = { created_at: 1, signs_from: 1 };
  await db
    .insertInto('call_keys')
    .values({ key_id: 'key', algorithm: 'EdDSA', public_jwk: '{}', sealed, ...times })
    .execute();
}

/** Ends a move once a page of this table was copied. */
const killedAt = (name: string) => (now: Progress) => {
  if (now.step === 'copy' && now.table === name) throw new Error('killed');
};

async function newDatabase(): Promise<string> {
  return await makeEmptyDatabase((await started()).url);
}

test('every table moves, or belongs to the processes of a server', { skip }, async (t) => {
  await using file = await openStore(temporaryDirectory(t));
  await using onServer = await openStore(await newDatabase());
  const known = new Set<string>([...movedTables, ...ownTables, 'schema_migrations']);
  const tables = new Set([...(await tablesIn(file.db)), ...(await tablesIn(onServer.db))]);
  assert.deepEqual(
    [...tables].filter((name) => !known.has(name) && !name.startsWith('sqlite_')),
    [],
  );
  assert.deepEqual(
    movedTables.filter((name) => !tables.has(name)),
    [],
  );
});

test('a store moves there and back, equal in every table', { skip }, async (t) => {
  const dataDir = await filled(t);
  const database = await newDatabase();
  const there = await move(dataDir, database);
  assert.deepEqual(
    there.tables.filter(({ rows }) => rows === 0).map(({ name }) => name),
    [],
    'each table has rows, or the test shows nothing about it',
  );
  assert.ok(there.receipts > 100, String(there.receipts));

  await assert.rejects(openStore(dataDir), /it was moved to postgres:.* serve that one/);
  {
    await using moved = await openStore(database);
    assert.equal((await tablesIn(moved.db)).has('unfinished_copy'), false);
    const [body] = await moved.db
      .selectFrom('runs')
      .select('response_body')
      .where(
        'response_body',
        '=',
        sql<string>`convert_to('zero ', 'UTF8') || '\\x00'::bytea || convert_to(' and half', 'UTF8')`,
      )
      .execute();
    assert.equal(body?.response_body, 'zero \0 and half');
  }
  const again = temporaryDirectory(t);
  const back = await move(database, again);
  assert.deepEqual(back, there);
  await assert.rejects(openStore(database), /it was moved to /);
  await using store = await openStore(again);
  assert.equal(
    (await sql<{ ok: string }>`pragma integrity_check`.execute(store.db)).rows.length,
    1,
  );
});

for (const [from, to] of [
  ['a file', 'a server'],
  ['a server', 'a file'],
] as const) {
  test(
    `a move from ${from} to ${to} that ends at any page continues there`,
    { skip },
    async (t) => {
      const dataDir = await filled(t);
      const database = await newDatabase();
      if (from === 'a server') await move(dataDir, database);
      const other = from === 'a file' ? database : temporaryDirectory(t);
      const source = from === 'a file' ? dataDir : database;
      const pages: string[] = [];
      for (let ends = 0; ends < 1_000; ends += 1) {
        let isFirst = true;
        const attempt = move(source, other, {
          pageRows: 60, // less than there are jobs: all that has many rows ends in the middle too
          onProgress({ step, table, rows }) {
            if (step !== 'copy') return;
            if (!isFirst) throw new Error('killed');
            isFirst = false;
            pages.push(`${table} ${rows}`);
          },
        });
        const result = await attempt.catch((error: unknown) => error);
        if (result instanceof Error) {
          assert.equal(result.message, 'killed');
          await assert.rejects(openStore(other), /it is the unfinished copy of another store/);
          continue;
        }
        assert.ok(pages.length > movedTables.length, String(pages.length));
        assert.equal(new Set(pages).size, pages.length, 'no page twice');
        await using store = await openStore(other);
        assert.ok((await tablesIn(store.db)).has('runs'));
        return;
      }
      assert.fail('it never ended');
    },
  );
}

test('a store that changed since the copy began is not taken for equal', { skip }, async (t) => {
  const dataDir = await filled(t);
  const database = await newDatabase();
  await assert.rejects(move(dataDir, database, { onProgress: killedAt('runs') }), /killed/);
  {
    await using store = await openStore(dataDir);
    await store.db.updateTable('jobs').set({ notes: 'changed' }).execute();
  }
  await assert.rejects(move(dataDir, database), /the table jobs differs at /);
  await using store = await openStore(dataDir);
  assert.ok((await tablesIn(store.db)).has('jobs'), 'it is still served');
  await assert.rejects(openStore(database), /unfinished copy/);
});

test('a database with something else in it is refused', { skip }, async (t) => {
  const [dataDir, other] = [await filled(t), temporaryDirectory(t)];
  await (await openStore(other))[Symbol.asyncDispose]();
  const taken = await newDatabase();
  await using _ = await openStore(taken);
  await assert.rejects(move(dataDir, taken), /is not empty/);

  const begun = await newDatabase();
  await assert.rejects(move(dataDir, begun, { onProgress: killedAt('accounts') }), /killed/);
  await assert.rejects(move(other, begun), /unfinished copy of another store/);
  await assert.rejects(move(temporaryDirectory(t), begun), /there is no database in/);
});

test(
  'an unfinished copy is not moved, and a store that was moved not a second time',
  { skip },
  async (t) => {
    const dataDir = await filled(t);
    const database = await newDatabase();
    await assert.rejects(move(dataDir, database, { onProgress: killedAt('accounts') }), /killed/);
    await assert.rejects(
      move(database, temporaryDirectory(t)),
      /is the unfinished copy of another/,
    );
    await move(dataDir, database);
    const another = await newDatabase();
    await assert.rejects(
      move(dataDir, another),
      /cannot be moved: it was moved to .*--reopen PLACE$/,
    );
    await using store = await openStore(another);
    assert.ok((await tablesIn(store.db)).has('jobs'), 'nothing was left in it');
  },
);

test('a broken chain of receipts is told, and nothing is switched', { skip }, async (t) => {
  const dataDir = await filled(t);
  {
    await using store = await openStore(dataDir);
    const [receipt] = await store.db.selectFrom('receipts').selectAll().limit(1).execute();
    await store.db
      .updateTable('receipts')
      .set({ receipt: (receipt?.receipt ?? '').replace('success', 'failure') })
      .where('run_id', '=', receipt?.run_id ?? '')
      .execute();
  }
  await assert.rejects(move(dataDir, await newDatabase()), /the receipt of run .* is not valid/);
  await using store = await openStore(dataDir);
  assert.ok((await tablesIn(store.db)).has('jobs'));
});

test('two moves into one database do not mix', { skip }, async (t) => {
  const dataDir = await filled(t);
  const database = await newDatabase();
  await using watcher = await openAsItIs(database);
  const both = await Promise.allSettled([
    move(dataDir, database, { pageRows: 20 }),
    move(dataDir, database, { pageRows: 20 }),
  ]);
  const refused = both.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 1, JSON.stringify(both.map(({ status }) => status)));
  assert.ok((await tablesIn(watcher.db)).has('runs'));
});
