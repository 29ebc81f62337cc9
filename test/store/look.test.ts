/** The questions of a request share a look at the store, and none sees less than it must. */

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { dataVersion } from '../../src/store/data-version.ts';
import { findJob, markJobDeleted } from '../../src/store/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { openTestStore } from '../support/store.ts';

test('a look lasts until the next one, or until the turn of the event loop ends', async (t) => {
  const { store, dataDir, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  await using other = await openStore(dataDir);
  const isThere = async (): Promise<boolean> =>
    (await findJob(store.db, workspaceId, id)) !== undefined;
  await setImmediate();
  const before = await dataVersion(store.db);
  assert.equal(await isThere(), true);
  await other.write((tx) => markJobDeleted(tx, id, 1));
  assert.equal(await isThere(), true, 'in the same turn');
  await setImmediate();
  assert.equal(await isThere(), false, 'in the next one');
  assert.notEqual(await dataVersion(store.db), before);
});

test('a request that arrives late in a turn sees what others wrote before it', async (t) => {
  const { store, dataDir, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  await using other = await openStore(dataDir);
  await setImmediate();
  let turns = 0;
  void setImmediate().then(() => (turns += 1));
  const before = await dataVersion(store.db);
  await other.write((tx) => markJobDeleted(tx, id, 1));
  assert.notEqual(await dataVersion(store.db), before);
  assert.equal(await findJob(store.db, workspaceId, id), undefined);
  assert.equal(turns, 0, 'all of that was one turn');
});

test('what this process writes is seen at once, also in the turn of a look', async (t) => {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  await setImmediate();
  await dataVersion(store.db);
  assert.notEqual(await findJob(store.db, workspaceId, id), undefined);
  await store.write((tx) => markJobDeleted(tx, id, 1));
  assert.equal(await findJob(store.db, workspaceId, id), undefined);
});

test('questions that are sent at once do not see half a transaction either', async (t) => {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  const { promise: isDeleted, resolve: deleted } = Promise.withResolvers<void>();
  const writing = store.write(async (tx) => {
    await markJobDeleted(tx, id, 1);
    assert.equal(await findJob(tx, workspaceId, id), undefined, 'the transaction sees it');
    deleted();
    await goOn;
    throw new Error('changed my mind');
  });
  await isDeleted;
  const seen = findJob(store.db, workspaceId, id);
  resolve();
  await assert.rejects(writing, /changed my mind/);
  assert.notEqual(await seen, undefined);
});
