/** The questions of a request share a look at the store, and none sees less than it must. */

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { findJob, markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { createLook } from '../../../src/store/database/look.ts';
import { openStore } from '../../../src/store/database/open.ts';
import { openTestStore } from '../../support/running/store.ts';

/** Until promises have gone on, and before anything new arrives. */
const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

test('a look lasts until what follows from it is done', async (t) => {
  const { store, dataDir, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  await using other = await openStore(dataDir);
  const look = createLook(store.db);
  const isThere = async (): Promise<boolean> =>
    (await findJob(store.db, workspaceId, id)) !== undefined;
  const before = await look();
  assert.equal(await isThere(), true);
  await other.write((tx) => markJobDeleted(tx, id, 1));
  assert.equal(await isThere(), true, 'as it was seen');
  await tick();
  assert.equal(await isThere(), false, 'as it is');
  assert.notEqual(await look(), before);
});

test('requests of one turn share a look, and each sees what others wrote before it arrived', async (t) => {
  const { store, dataDir, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  await using other = await openStore(dataDir);
  const look = createLook(store.db);
  const before = await look();
  await setImmediate();
  let turns = 0;
  void setImmediate().then(() => (turns += 1));
  const early = look();
  await other.write((tx) => markJobDeleted(tx, id, 1));
  const late = look();
  assert.equal(turns, 0, 'both arrived in one turn');
  assert.notEqual(await late, before);
  assert.equal(await findJob(store.db, workspaceId, id), undefined);
  assert.equal(await early, await late);
});

test('a request that arrives behind a look gets one of its own', async (t) => {
  const { store, dataDir, addJob } = await openTestStore(t);
  const { id } = await addJob();
  await using other = await openStore(dataDir);
  const look = createLook(store.db);
  const before = await look();
  await other.write((tx) => markJobDeleted(tx, id, 1));
  assert.notEqual(await look(), before);
});

test('what this process writes is seen at once, also in the turn of a look', async (t) => {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const { id } = await addJob();
  await createLook(store.db)();
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
