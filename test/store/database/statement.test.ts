/** Compiled statements use the parameters of each call. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { findJob, markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { columnsOf, statement, statementForEach } from '../../../src/store/database/statement.ts';
import type { Parameters } from '../../../src/store/database/statement.ts';
import { openTestStore } from '../../support/running/store.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';

sqliteTest('a statement is compiled once, and sent with the parameters of each call', async (t) => {
  const { store } = await openTestStore(t);
  let built = 0;
  const echo = statement((db: Db, of: Parameters<{ a: number; b: string | null }>) => {
    built += 1;
    return sql<{
      text: string;
    }>`select ${of('b')} || ${'-'} || ${of('a')} || ${of('b')} as text`.compile(db);
  });
  assert.deepEqual(await echo(store.db, { a: 1, b: 'x' }), [{ text: 'x-1.0x' }]);
  assert.deepEqual(await store.write((tx) => echo(tx, { b: 'y', a: 2 })), [{ text: 'y-2.0y' }]);
  assert.deepEqual(await echo(store.db, { a: 3, b: null }), [{ text: null }]);
  assert.equal(built, 1);
});

sqliteTest('a statement for several rows reports which of them it changed', async (t) => {
  const { store } = await openTestStore(t);
  const keep = statementForEach((db: Db, of: Parameters<{ run_id: string; receipt: string }>) =>
    db
      .insertInto('receipts')
      .values(columnsOf(of, ['run_id', 'receipt']))
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
  );
  await sql`pragma foreign_keys = off`.execute(store.db);
  const rows = ['a', 'b', 'a'].map((run) => ({ run_id: run, receipt: 'c' }));
  assert.deepEqual(await keep(store.db, rows), [true, true, false]);
  assert.deepEqual(await keep(store.db, []), []);
  const kept = await store.db.selectFrom('receipts').selectAll().orderBy('run_id').execute();
  assert.deepEqual(kept, rows.slice(0, 2));
});

sqliteTest('rows written in a transaction are all stored or none', async (t) => {
  const { store } = await openTestStore(t);
  const keep = statementForEach((db: Db, of: Parameters<{ id: string }>) =>
    sql`insert into receipts (run_id, receipt) values (${of('id')}, 'c')`.compile(db),
  );
  const kept = () => store.db.selectFrom('receipts').select('run_id').execute();
  await sql`pragma foreign_keys = off`.execute(store.db);
  await assert.rejects(
    store.write((tx) => keep(tx, [{ id: 'a' }, { id: 'b' }, { id: 'a' }])),
    /UNIQUE/,
  );
  assert.deepEqual(await kept(), []);
  await store.write((tx) => keep(tx, [{ id: 'a' }, { id: 'b' }]));
  assert.equal((await kept()).length, 2);
});

test("a compiled statement does not see another caller's open transaction", async (t) => {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  const { promise: advanceBoth, resolve } = Promise.withResolvers<void>();
  const { promise: isDeleted, resolve: deleted } = Promise.withResolvers<void>();
  const writing = store.write(async (tx) => {
    await markJobDeleted(tx, id, 1);
    assert.equal(await findJob(tx, workspaceId, id), undefined, 'the transaction sees it');
    deleted();
    await advanceBoth;
    throw new Error('changed my mind');
  });
  await isDeleted;
  const seen = findJob(store.db, workspaceId, id);
  resolve();
  await assert.rejects(writing, /changed my mind/);
  assert.notEqual(await seen, undefined);
});
