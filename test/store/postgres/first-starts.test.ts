/** First starts at once, and what a role that may only connect can do about them. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { writeAlone } from '../../../src/store/database/alone.ts';
import { newestVersion, schemaVersion } from '../../../src/store/database/migrate.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { connectTo, makeEmptyDatabase, onServer } from '../../support/postgres/database.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';

// Its roles and the locks it looks at are those of the whole server.
const { skip, started } = postgresOfFile({});

const rounds = 5;
const startCount = 10;

async function openAtOnce(t: TestContext, url: string, count: number): Promise<Store[]> {
  const stores = await Promise.all(Array.from({ length: count }, () => openStore(url)));
  for (const store of stores) t.after(() => store[Symbol.asyncDispose]());
  return stores;
}

/** As `startInstance` does. */
async function makeInstance(tx: Db): Promise<void> {
  const known = await tx.selectFrom('instance').select('id').executeTakeFirst();
  if (known !== undefined) return;
  await tx.insertInto('instance').values({ one: 1, id: 'made', site_url: null }).execute();
}

test('ten first starts at once make one store', { skip }, async (t) => {
  const { url } = await started();
  for (let round = 0; round < rounds; round += 1) {
    const database = await makeEmptyDatabase(url);
    const stores = await openAtOnce(t, database, startCount);
    for (const { db } of stores) assert.equal(await schemaVersion(db), newestVersion);
    await Promise.all(stores.map((store) => writeAlone(store, makeInstance)));
    const count = `select (select count(*)::int from schema_migrations) as migrations,
      (select count(*)::int from instance) as instances`;
    const rows = await onServer(database, count);
    assert.deepEqual(rows, [{ migrations: newestVersion, instances: 1 }]);
  }
});

/** Each round can meet the moment; one in fifteen did when the schema was asked about by its name. */
const manyRounds = 40;

test('a first start can look at the moment when another makes the schema', { skip }, async () => {
  const { url } = await started();
  for (let round = 0; round < manyRounds; round += 1) {
    const database = await makeEmptyDatabase(url);
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(database)));
    for (const { db } of stores) assert.equal(await schemaVersion(db), newestVersion);
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  }
});

test('a role that may only connect holds nothing up', { skip }, async (t) => {
  const { url } = await started();
  await onServer(url, 'create role stranger login');
  const database = await makeEmptyDatabase(url);
  const stranger = await connectTo(Object.assign(new URL(database), { username: 'stranger' }).href);
  t.after(() => stranger.end());
  // Locks that need no privilege, by names that jobd might use.
  for (const name of ['jobd', 'jobd schema', 'jobd setup', 'schema_migrations']) {
    await stranger.query('select pg_advisory_lock(hashtext($1))', [name]);
  }
  const [store] = await openAtOnce(t, database, 2);
  for (const statement of [
    'lock table jobd.schema_migrations in access share mode',
    'select from jobd.schema_migrations for update',
    'create table jobd.schema_migrations ()',
    'drop schema jobd',
  ]) {
    await assert.rejects(stranger.query(`begin; ${statement}`), { code: '42501' }, statement);
    await stranger.query('rollback');
  }
  await writeAlone(store ?? assert.fail(), makeInstance);
});

test(
  'what only one may do at a time waits for the one before, and readers do not',
  { skip },
  async (t) => {
    const database = await makeEmptyDatabase((await started()).url);
    const [one, other] = await openAtOnce(t, database, 2);
    assert.ok(one && other);
    const order: string[] = [];
    let second: Promise<void> | undefined;
    await writeAlone(one, async (tx) => {
      second = writeAlone(other, async () => void order.push('second'));
      await until('one that waits', () => isWaited(tx));
      assert.equal(await schemaVersion(other.db), newestVersion, 'nodes read it when they renew');
      order.push('first');
    });
    await second;
    assert.deepEqual(order, ['first', 'second']);
  },
);

test('a first start waits for one that takes long, even if that fails', { skip }, async (t) => {
  const database = await makeEmptyDatabase((await started()).url);
  const slow = await connectTo(database);
  t.after(() => slow.end());
  await slow.query('begin; create schema jobd');
  const opening = openStore(database);
  const waiting = new Set<string>();
  await until('a second try', async () => {
    // A transaction sees the activity of others as it was when it first looked.
    await slow.query('select pg_stat_clear_snapshot()');
    const { rows } = await slow.query<{ begun: string }>(
      'select a.xact_start::text as begun from pg_locks join pg_stat_activity a using (pid) where not granted',
    );
    for (const { begun } of rows) waiting.add(begun);
    return waiting.size > 1;
  });
  await slow.query('rollback');
  const store = await opening;
  assert.equal(await schemaVersion(store.db), newestVersion);
  await store[Symbol.asyncDispose]();
});

/** Whether another connection waits for what this transaction has locked. */
async function isWaited(tx: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`.execute(
    tx,
  );
  return rows.length > 0;
}
