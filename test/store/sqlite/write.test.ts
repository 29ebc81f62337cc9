/** Transactions: all or nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openFileStore } from '../../../src/store/sqlite/open.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { openTestStore } from '../../support/running/store.ts';
import { holdWriteLock } from '../../support/running/write-lock.ts';

async function addWorkspace(db: Db, name: string): Promise<void> {
  const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const workspace = { id: name, name, account_id: id, created_at: 1 };
  await db.insertInto('workspaces').values(workspace).execute();
}

async function workspaces(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('workspaces').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name).filter((name) => name !== 'default');
}

test('a transaction that throws leaves nothing, and the store keeps working', async (t) => {
  const { store } = await openTestStore(t);
  const failing = store.write(async (tx) => {
    await addWorkspace(tx, 'a');
    assert.deepEqual(await workspaces(tx), ['a'], 'it sees its own writes');
    throw new Error('changed my mind');
  });
  await assert.rejects(failing, /changed my mind/);
  assert.deepEqual(await workspaces(store.db), []);
  await store.write((tx) => addWorkspace(tx, 'b'));
  assert.deepEqual(await workspaces(store.db), ['b']);
});

test('a statement that fails rolls back its whole transaction, and the store keeps working', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  for (const name of ['a', 'b']) {
    const failing = store.write(async (tx) => {
      await addWorkspace(tx, name);
      await addWorkspace(tx, name);
    });
    await assert.rejects(failing, /UNIQUE/);
  }
  await store.write((tx) => addWorkspace(tx, 'c'));
  await using other = await openFileStore(dataDir);
  assert.deepEqual(await workspaces(other.db), ['c'], 'as another connection sees it');
});

test('a transaction that the database rolled back by itself leaves the store usable', async (t) => {
  const { store } = await openTestStore(t);
  const rolledBack = store.write(async (tx) => {
    await addWorkspace(tx, 'a');
    await sql`insert or rollback into workspaces (id, name, account_id, created_at)
      values ('a', 'a', 'x', 1)`.execute(tx);
  });
  await assert.rejects(rolledBack, /UNIQUE/);
  await store.write((tx) => addWorkspace(tx, 'b'));
  assert.deepEqual(await workspaces(store.db), ['b']);
});

test('no reader sees an open transaction, not even on the same store', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  await using other = await openFileStore(dataDir);
  const { promise: advanceBoth, resolve } = Promise.withResolvers<void>();
  const writing = store.write(async (tx) => {
    await addWorkspace(tx, 'a');
    await advanceBoth;
    await addWorkspace(tx, 'b');
  });
  const sameStore = workspaces(store.db);
  assert.deepEqual(await workspaces(other.db), []);
  resolve();
  assert.deepEqual(await sameStore, ['a', 'b'], 'it waited for the end');
  await writing;
  assert.deepEqual(await workspaces(other.db), ['a', 'b']);
});

test('concurrent transactions run one after another', async (t) => {
  const { store } = await openTestStore(t);
  const append = (): Promise<void> =>
    store.write(async (tx) => {
      const count = (await workspaces(tx)).length;
      await addWorkspace(tx, `w${count}`);
    });
  await Promise.all(Array.from({ length: 10 }, append));
  assert.equal((await workspaces(store.db)).length, 10);
});

test('a writer waits for the writer of another process, and then sees its changes', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  const holder = await holdWriteLock(t, dataDir, 300);
  const seen = await store.write(async (tx) => {
    const names = await workspaces(tx);
    await addWorkspace(tx, 'second');
    return names;
  });
  assert.deepEqual(seen, ['holder']);
  await holder.ended;
  assert.deepEqual(await workspaces(store.db), ['holder', 'second']);
});

test('readers do not wait for a writer', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  const holder = await holdWriteLock(t, dataDir, 'until released');
  assert.deepEqual(await workspaces(store.db), []);
  holder.release();
  await holder.ended;
  assert.deepEqual(await workspaces(store.db), ['holder']);
});

test('a writer that waited too long fails with a message, and the next one succeeds', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  const holder = await holdWriteLock(t, dataDir, 'until released');
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 20);
  t.after(() => clearInterval(ticking));
  await assert.rejects(
    store.write((tx) => addWorkspace(tx, 'too late')),
    /database is locked/,
  );
  assert.ok(turns > 10, `everything else went on while it waited: ${turns} turns`);
  holder.release();
  await holder.ended;
  await store.write((tx) => addWorkspace(tx, 'in time'));
  assert.deepEqual(await workspaces(store.db), ['holder', 'in time']);
});
