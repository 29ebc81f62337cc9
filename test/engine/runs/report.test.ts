/** When waits for reports end (docs/behavior.md#report-4), step by step. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { unheard } from '../../support/fakes/changes.ts';
import { createReportStep } from '../../../src/engine/runs/report.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import { beginWaits, keepReports } from '../../../src/store/runs/reports.ts';
import { findRun } from '../../../src/store/runs/runs.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { beginRuns, startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

/** A store, and a clock. */
async function setup(t: TestContext) {
  const { store, addJob } = await openTestStore(t);
  const clock = fakeClock();
  const startProcess = () =>
    createReportStep({
      store,
      clock,
      log: pino({ level: 'silent' }),
      meter: uncounted,
      changes: unheard,
      receipts: false,
      wake: () => {},
    });
  /** A run that waits from now on. */
  const wait = async (forMs: number) => {
    const job = await addJob();
    const run = startingRun(job.id, clock.now());
    const { id: runId } = run;
    await insertScheduledRuns(store.db, [run]);
    await beginRuns(store.db, run);
    const answer = { attempts: 1, httpStatus: 202, responseBody: 'a\0b', truncated: 0 };
    const times = { acceptedAt: clock.now(), expiresAt: clock.now() + forMs };
    await beginWaits(store.db, [{ runId, ...answer, ...times }]);
    const report = { runId, outcome: 'success', by: 'target', message: null } as const;
    return {
      report: () => keepReports(store.db, [{ ...report, at: clock.now() }]),
      read: async () => await findRun(store.db, job.id, runId),
    };
  };
  return { wall: clock, startProcess, wait };
}

test('a process that starts gives targets a minute to report what was due while none ran', async (t) => {
  const { wall, startProcess, wait } = await setup(t);
  const lost = await wait(10_000);
  const late = await wait(20_000);
  wall.advanceBoth(3_600_000);
  const step = startProcess();
  assert.equal(await step(), 60_000);
  wall.advanceBoth(59_999);
  assert.equal(await step(), 1);
  assert.equal((await lost.read())?.status, 'running');
  assert.deepEqual(await late.report(), [true]);
  assert.equal(await step(), 0, 'a report ends its wait at once');
  assert.equal(await step(), 1);
  assert.deepEqual(
    [(await late.read())?.status, (await lost.read())?.status],
    ['success', 'running'],
  );
  wall.advanceBoth(1);
  assert.equal(await step(), 0);
  const end = await lost.read();
  assert.deepEqual([end?.status, end?.report?.outcome], ['failed', 'expired']);
  assert.equal(end?.finishedAt, end?.report?.expiresAt);
  assert.equal(await step(), Infinity);
});

test('a process that has run for a minute ends waits on time, whatever starts beside it', async (t) => {
  const { wall, startProcess, wait } = await setup(t);
  const step = startProcess();
  wall.advanceBoth(60_000);
  const one = await wait(10_000);
  assert.equal(await step(), 10_000);
  wall.advanceBoth(10_000);
  assert.equal(await startProcess()(), 60_000);
  assert.equal((await one.read())?.status, 'running');
  assert.equal(await step(), 0);
  assert.equal((await one.read())?.status, 'failed');
});

test('a run never ends before it began, though the clock was set back while it waited', async (t) => {
  const { wall, startProcess, wait } = await setup(t);
  const step = startProcess();
  const one = await wait(10_000);
  wall.set(wall.now() - 3_600_000);
  assert.deepEqual(await one.report(), [true]);
  assert.equal(await step(), 0);
  const end = await one.read();
  assert.deepEqual([end?.status, end?.durationMs], ['success', 0]);
  assert.equal(end?.finishedAt, end?.startedAt);
});

test('a wait that began by a clock which was ahead begins again when that is set right, or at a start', async (t) => {
  for (const isStarted of [false, true]) {
    const { wall, startProcess, wait } = await setup(t);
    const step = startProcess();
    await step();
    wall.advance(86_400_000);
    const [early, one] = [await wait(5_000), await wait(10_000)];
    assert.deepEqual(await early.report(), [true]);
    assert.equal(await step(), 0);
    wall.set(wall.now() - 86_400_000);
    const again = isStarted ? startProcess() : step;
    if (!isStarted) {
      assert.equal(await again(), 6_000, 'other nodes may still be ahead');
      wall.advanceBoth(6_000);
    }
    assert.equal(await again(), 10_000);
    wall.advanceBoth(9_999);
    assert.equal(await again(), 1, 'it begins again once');
    wall.advanceBoth(1);
    assert.equal(await again(), 0);
    const end = await one.read();
    assert.deepEqual([end?.status, end?.detail], ['failed', 'no report within 10 s']);
    assert.equal((await early.read())?.status, 'success');
  }
});

test('a wait that began after the start ends at its time, also in the first minute', async (t) => {
  const { wall, startProcess, wait } = await setup(t);
  await wait(5_000);
  wall.advanceBoth(1);
  const step = startProcess();
  const one = await wait(10_000);
  assert.equal(await step(), 10_000);
  wall.advanceBoth(10_000);
  assert.equal(await step(), 0);
  assert.equal((await one.read())?.status, 'failed');
  assert.equal(await step(), 50_000);
});

test('a wait that outlasts the first minute ends at its time, not with that minute', async (t) => {
  const { wall, startProcess, wait } = await setup(t);
  await wait(90_000);
  wall.advanceBoth(10_000);
  const step = startProcess();
  assert.equal(await step(), 60_000);
  wall.advanceBoth(60_000);
  assert.equal(await step(), 20_000);
});
