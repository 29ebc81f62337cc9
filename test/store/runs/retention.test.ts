import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { insertHealthChanges, removeHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { findReceipt } from '../../../src/store/proof/receipts.ts';
import { listHistories, listOldestRuns } from '../../../src/store/runs/retention.ts';
import {
  countRuns,
  findRun,
  findRunByIdempotencyKey,
  insertQueuedRun,
} from '../../../src/store/runs/runs.ts';
import {
  assertTotalsCounted,
  dueTimesOf,
  keepHistory,
  removeUpTo,
} from '../../support/checks/history.ts';
import { each } from '../../support/each.ts';
import { queuedRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

const scheduled = 'scheduled' as const;

test('the oldest runs of a history are removed with their receipts and subtracted from the totals; open runs and other jobs stay', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const job = await addJob();
  const other = await addJob();
  const [first, , , , , last] = await keepHistory(store, job.id, [
    { status: 'success', at: 1 },
    { status: 'failed', at: 2 },
    { status: 'running', at: 3 },
    { status: 'interrupted', at: 4 },
    { status: 'missed', at: 5 },
    { status: 'success', at: 6 },
  ]);
  await keepHistory(store, other.id, [{ status: 'success', at: 1 }]);
  const queued = queuedRun(job.id, 3);
  await insertQueuedRun(store.db, queued, null);
  const beginning = { jobId: job.id, scheduledFor: 5, source: scheduled };
  const removed = await store.write((tx) => removeUpTo(tx, beginning));
  assert.equal(removed, 4);
  assert.deepEqual(await countRuns(store.db, job.id), {
    queued: 1,
    running: 1,
    success: 1,
    failed: 0,
    interrupted: 0,
    missed: 0,
  });
  assert.deepEqual(await dueTimesOf(store, [job.id]), [3, 3, 6]);
  assert.deepEqual(await dueTimesOf(store, [other.id]), [1]);
  assert.equal(await findReceipt(store.db, first ?? ''), undefined);
  assert.equal(await findReceipt(store.db, last ?? ''), '{}');
  await assertTotalsCounted(store);
});

test('a run stays until the alert that names it is made', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const { id: jobId, workspaceId } = await addJob();
  const [runId = ''] = await keepHistory(store, jobId, [{ status: 'failed', at: 1 }]);
  const named = { id: newId(1), type: 'job.failed', workspaceId, subjectId: jobId, runId } as const;
  await insertHealthChanges(store.db, [{ ...named, failures: 1, data: null, at: 1 }]);
  const beginning = { jobId, scheduledFor: 5, source: scheduled };
  const remove = () => store.write((tx) => removeUpTo(tx, beginning));
  assert.equal(await remove(), 0);
  await removeHealthChanges(store.db, [named.id]);
  assert.equal(await remove(), 1);
  await assertTotalsCounted(store);
});

test('of two runs of one moment only the first is removed if the limit lies between them', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const job = await addJob();
  await keepHistory(store, job.id, [{ status: 'success', at: 1 }]);
  await store.db
    .insertInto('runs')
    .values({
      id: newId(1),
      job_id: job.id,
      workspace_id: job.workspaceId,
      source: 'manual',
      status: 'interrupted',
      scheduled_for: 1,
      started_at: 1,
      finished_at: 2,
      reason: 'cut_off',
    })
    .execute();
  await store.db.updateTable('jobs').set({ total_interrupted: 1 }).execute();
  const positions = await listOldestRuns(store.db, job.id, { after: null, limit: 5 });
  assert.deepEqual(each(positions, 'source'), ['manual', 'scheduled']);
  const beginning = { jobId: job.id, scheduledFor: 1, source: 'manual' as const };
  assert.equal(await store.write((tx) => removeUpTo(tx, beginning)), 1);
  const left = await listOldestRuns(store.db, job.id, { after: null, limit: 5 });
  assert.deepEqual(each(left, 'scheduledFor', 'source'), [[1, scheduled]]);
  await assertTotalsCounted(store);
});

test('an idempotency key is kept as long as its run', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const job = await addJob();
  const run = queuedRun(job.id, 5);
  await insertQueuedRun(store.db, run, 'once');
  await store.db
    .updateTable('runs')
    .set({
      status: 'interrupted',
      started_at: 5,
      finished_at: 6,
      reason: 'cut_off',
    })
    .execute();
  await store.db.updateTable('jobs').set({ total_interrupted: 1 }).execute();
  const remove = (scheduledFor: number) =>
    store.write((tx) => removeUpTo(tx, { jobId: job.id, scheduledFor, source: scheduled }));
  assert.equal(await remove(4), 0);
  assert.equal((await findRunByIdempotencyKey(store.db, job.id, 'once'))?.id, run.id);
  assert.equal(await remove(5), 1);
  assert.equal(await findRunByIdempotencyKey(store.db, job.id, 'once'), undefined);
  assert.equal(await findRun(store.db, job.id, run.id), undefined);
  await insertQueuedRun(store.db, queuedRun(job.id, 6), 'once');
});

test('histories are listed page by page, without deleted jobs, with their number of runs', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const jobs = [await addJob(), await addJob(), await addJob()];
  const ids = jobs.map(({ id }) => id).toSorted();
  const [first = '', second = '', third = ''] = ids;
  await keepHistory(store, second, [
    { status: 'missed', at: 9 },
    { status: 'running', at: 7 },
    { status: 'failed', at: 8 },
  ]);
  await markJobDeleted(store.db, third, 1);
  const page = await listHistories(store.db, { afterId: '', limit: 5 });
  assert.deepEqual(each(page, 'id', 'results', 'oldestAt'), [
    [first, 0, null],
    [second, 2, 7],
  ]);
  assert.deepEqual(each(await listHistories(store.db, { afterId: first, limit: 1 }), 'id'), [
    second,
  ]);
});

test('a job knows up to which time its runs were removed: of a missed run, the last due time it stood for', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const job = await addJob();
  await keepHistory(store, job.id, [
    { status: 'success', at: 1 },
    { status: 'missed', at: 2 },
    { status: 'success', at: 9 },
  ]);
  await store.db
    .updateTable('runs')
    .set({ source: 'manual' })
    .where('scheduled_for', '=', 9)
    .execute();
  const missed = store.db.updateTable('runs').set({ last_due_at: 8 });
  await missed.where('status', '=', 'missed').execute();
  const historyFrom = async (removedTo: number): Promise<number | undefined> => {
    const beginning = { jobId: job.id, scheduledFor: removedTo, source: scheduled };
    await store.write((tx) => removeUpTo(tx, beginning));
    const jobs = store.db.selectFrom('jobs').select('history_from as historyFrom');
    return (await jobs.where('id', '=', job.id).executeTakeFirst())?.historyFrom;
  };
  assert.equal(await historyFrom(1), 1);
  assert.equal(await historyFrom(2), 8);
  assert.equal(await historyFrom(9), 9, 'a run by hand');
});
