/** Jobs that delete themselves (docs/behavior.md#once-4). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import { deleteSpentJobs } from '../../../src/engine/upkeep/spent-jobs.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { findSpentJob } from '../../../src/store/jobs/spent.ts';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { simulateService } from '../../support/simulated/service.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

async function setup(t: TestContext) {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const { store, workspaceId, clock } = service;
  return {
    ...service,
    /** Adds a job that is due once, in an hour. */
    add: (input: Partial<JobInput> = {}) =>
      service.addJob({ runAt: '2026-03-02T11:00:00Z', ...input }),
    read: (id: string) => findJob(store.db, workspaceId, id),
    /** Deletes what is to be deleted, as the pruning does. */
    prune: async (): Promise<number> => {
      let deleted = 0;
      const now = clock.now();
      for (let steps = 0; (await findSpentJob(store.db, now)) !== undefined; steps += 1) {
        assert.ok(steps < 100, 'it ends');
        deleted += (await store.write((tx) => deleteSpentJobs(tx, now, 2))).length;
      }
      return deleted;
    },
  };
}

test('a one-time job is called once, and is deleted a week after its run', async (t) => {
  const { add, read, serveUntil, prune, clock, store } = await setup(t);
  const id = await add();
  await serveUntil(clock.now() + day);
  const job = await read(id);
  const { nextRunAt, lastRunAt, deleteAfterSeconds } = job ?? {};
  assert.deepEqual(
    [nextRunAt, lastRunAt, deleteAfterSeconds],
    [null, Date.parse('2026-03-02T11:00:00Z'), 604_800],
  );
  const ledgers = await ledgersIn(store.db, clock);
  assert.deepEqual([wrongIn(ledgers), ledgers[0]?.called], [[], 1]);
  clock.set('2026-03-09T10:59:59Z');
  assert.deepEqual([await prune(), (await read(id))?.id], [0, id]);
  clock.set('2026-03-09T11:01:00Z');
  assert.deepEqual([await prune(), await read(id)], [1, undefined]);
});

test('it is kept while it is paused, not called yet, followed, or to be kept', async (t) => {
  const { add, addJob, act, read, serveUntil, prune, clock } = await setup(t);
  const now = { deleteAfterSeconds: 0 };
  const paused = await add(now);
  await act(paused, 'pause');
  const uncalled = await add(now);
  const kept = await add({ deleteAfterSeconds: null });
  const followed = await add(now);
  await addJob({ after: { jobId: followed } });
  const gone = await add(now);
  clock.set('2026-03-02T11:00:00Z');
  assert.equal(await prune(), 0, 'none was called');
  await serveUntil(clock.now() + 2 * minute);
  assert.equal(await prune(), 2);
  for (const id of [uncalled, gone]) assert.equal(await read(id), undefined);
  clock.advance(3 * day);
  assert.equal(await prune(), 0);
  for (const id of [paused, kept, followed]) assert.ok(await read(id));
});

test('a job with an end is deleted after it, if it is to be', async (t) => {
  const { addJob, read, serveUntil, prune, clock } = await setup(t);
  const bounds = { cronExpr: '*/10 * * * *', notAfter: '2026-03-02T12:00:00Z' };
  const [kept, gone] = [await addJob(bounds), await addJob({ ...bounds, deleteAfterSeconds: 600 })];
  await serveUntil(Date.parse('2026-03-02T12:05:00Z'));
  assert.equal(await prune(), 0);
  await serveUntil(clock.now() + 10 * minute);
  assert.deepEqual([await prune(), await read(gone), (await read(kept))?.id], [1, undefined, kept]);
});

test('a one-time job that is a little late is called at once, and accounted for', async (t) => {
  const { add, read, serveUntil, clock, store } = await setup(t);
  const id = await add({ runAt: '2026-03-02T09:59:01Z' });
  await serveUntil(clock.now() + minute);
  const { lastRunAt, runAt } = (await read(id)) ?? {};
  assert.deepEqual([lastRunAt, runAt], [clock.now() - minute + 1, '2026-03-02T09:59:01.000Z']);
  const ledgers = await ledgersIn(store.db, clock);
  assert.deepEqual([wrongIn(ledgers), ledgers[0]?.called], [[], 1]);
});
