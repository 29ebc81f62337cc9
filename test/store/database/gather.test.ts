/** Writes of one turn of the event loop share a transaction, and nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../../src/store/database/open.ts';
import type { Db } from '../../../src/store/database/open.ts';
import { openTestStore } from '../../support/running/store.ts';
import { holdWriteLock } from '../../support/running/write-lock.ts';

async function addWorkspace(db: Db, name: string): Promise<string> {
  const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const workspace = { id: name, name, account_id: id, created_at: 1 };
  await db.insertInto('workspaces').values(workspace).execute();
  return name;
}

async function workspaces(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('workspaces').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name).filter((name) => name !== 'default');
}

test('writes of one turn happen in their order, are one commit, and each gets its own result', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  await using other = await openStore(dataDir);
  const seen: [ours: string[], theirs: string[]][] = [];
  const write = (name: string): Promise<string> =>
    store.writeShared(async (tx) => {
      seen.push([await workspaces(tx), await workspaces(other.db)]);
      return await addWorkspace(tx, name);
    });
  const first = write('a').then(() => workspaces(other.db));
  assert.deepEqual(await Promise.all([first, write('b'), write('c')]), [['a', 'b', 'c'], 'b', 'c']);
  assert.deepEqual(seen, [
    [[], []],
    [['a'], []],
    [['a', 'b'], []],
  ]);
});

test('a write that throws is undone alone, and says why', async (t) => {
  const { store } = await openTestStore(t);
  const failing = (name: string): Promise<string> =>
    store.writeShared(async (tx) => {
      await addWorkspace(tx, name);
      throw new Error(`${name} changed its mind`);
    });
  const good = (name: string): Promise<string> => store.writeShared((tx) => addWorkspace(tx, name));
  const outcomes = await Promise.allSettled([
    good('a'),
    failing('b'),
    good('c'),
    good('a'),
    failing('d'),
    good('e'),
  ]);
  const told = outcomes.map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as Error).message,
  );
  assert.match(told[3] ?? '', /UNIQUE/);
  assert.deepEqual(told.toSpliced(3, 1), [
    'a',
    'b changed its mind',
    'c',
    'd changed its mind',
    'e',
  ]);
  assert.deepEqual(await workspaces(store.db), ['a', 'c', 'e']);
  await assert.rejects(failing('f'), /f changed its mind/, 'also where it is alone');
  assert.deepEqual(await workspaces(store.db), ['a', 'c', 'e']);
});

test('what the database gives up as a whole is nobody’s, and everybody is told', async (t) => {
  const { store } = await openTestStore(t);
  const good = (name: string): Promise<string> => store.writeShared((tx) => addWorkspace(tx, name));
  const outcomes = await Promise.allSettled([
    good('a'),
    store.writeShared(async (tx) => {
      await addWorkspace(tx, 'b');
      await sql`insert or rollback into workspaces (id, name, created_at)
        values ('b', 'b', 1)`.execute(tx);
    }),
    good('c'),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.deepEqual(await workspaces(store.db), []);
  assert.equal(await good('d'), 'd');
  assert.deepEqual(await workspaces(store.db), ['d']);
});

test('a refusal that rests on what another one wrote is not told if that was not kept', async (t) => {
  const { store } = await openTestStore(t);
  await sql`pragma foreign_keys = on`.execute(store.db);
  const outcomes = await Promise.allSettled([
    store.writeShared(async (tx) => {
      // Looked at by the commit only, which fails then.
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      await sql`insert into workspaces (id, name, account_id, created_at)
        values ('a', 'a', 'nobody', 1)`.execute(tx);
    }),
    store.writeShared(async (tx) => {
      if ((await workspaces(tx)).length > 0) throw new Error('there is no room');
    }),
  ]);
  for (const one of outcomes) {
    assert.ok(one.status === 'rejected');
    assert.match((one.reason as Error).message, /FOREIGN KEY/);
  }
  assert.deepEqual(await workspaces(store.db), []);
});

test('while another process writes they wait together, and fail together in a sentence', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  const holder = await holdWriteLock(t, dataDir, 'until released');
  const late = ['a', 'b'].map((name) => store.writeShared((tx) => addWorkspace(tx, name)));
  for (const { status, reason } of (await Promise.allSettled(late)) as PromiseRejectedResult[]) {
    assert.equal(status, 'rejected');
    assert.match((reason as Error).message, /database is locked/);
  }
  holder.release();
  await holder.ended;
  await Promise.all(['c', 'd'].map((name) => store.writeShared((tx) => addWorkspace(tx, name))));
  assert.deepEqual(await workspaces(store.db), ['c', 'd', 'holder']);
});
