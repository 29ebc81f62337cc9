/** From the due time to the recorded run. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRun } from '../../../src/store/runs/runs.ts';
import { openStore } from '../../../src/store/open.ts';
import { each } from '../../support/each.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';
import { databaseOf } from '../../support/running/local.ts';

const minute = 60_000;

test('a due job is called once, and its run is recorded with every field', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t, (response) => response.writeHead(201).end('done'));
  const job = await addJob({ ...dueOnce, url: `${sink.url}/x`, headers: { 'X-A': 'b' } });
  const engine = await start();
  clock.set(dueAt + 7);
  engine.wake();
  const [run, ...more] = await endedRuns(job, 1);
  assert.deepEqual(more, []);
  const { id, durationMs, ...rest } = run!;
  assert.ok(Number.isInteger(durationMs) && durationMs! >= 0 && durationMs! < 10_000);
  assert.deepEqual(rest, {
    jobId: job.id,
    source: 'scheduled',
    status: 'success',
    scheduledFor: dueAt,
    startedAt: dueAt + 7,
    finishedAt: dueAt + 7 + durationMs!,
    attempts: 1,
    httpStatus: 201,
    responseBody: 'done',
    truncated: false,
    error: null,
  });
  assert.equal(sink.received.length, 1);
  assert.equal(sink.received[0]?.path, '/x');
  assert.equal(sink.received[0]?.headers['x-a'], 'b');
  assert.equal(sink.received[0]?.headers['x-service-run-id'], id);
  assert.deepEqual(await readJob(job), {
    ...job,
    health: 'up',
    nextRunAt: dueAt + 60 * minute,
    lastRunAt: dueAt + 7,
    lastDurationMs: durationMs,
  });
});

test('a run is on the disk as running before its target receives the request', async (t) => {
  const { start, addJob, clock, dataDir, endedRuns } = await setupEngine(t);
  await using other = await openStore(databaseOf(dataDir) ?? dataDir);
  const seen: unknown[] = [];
  const readRun = async (runId: string): Promise<void> => {
    const run = await findRun(other.db, job.id, runId);
    seen.push([run?.status, run?.startedAt, run?.finishedAt]);
  };
  const sink = await startSink(t, (response, { headers }) => {
    void readRun(String(headers['x-service-run-id'])).finally(() => response.end());
  });
  const job = await addJob({ ...dueOnce, url: sink.url });
  clock.set(dueAt);
  await start();
  await endedRuns(job, 1);
  assert.deepEqual(seen, [['running', dueAt, null]]);
});

test('a job is not called before its due time, not even a millisecond early', async (t) => {
  const { start, addJob, clock, runsOf, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const later = await addJob({ cronExpr: '12 * * * *', url: `${sink.url}/later` });
  const paused = await addJob({ ...dueOnce, url: `${sink.url}/paused`, paused: true });
  const due = await addJob({ ...dueOnce, url: `${sink.url}/due` });
  clock.set(dueAt - 1);
  await (await start())[Symbol.asyncDispose]();
  assert.equal(sink.received.length, 0);

  clock.set(dueAt);
  await start();
  await endedRuns(due, 1);
  assert.deepEqual(each(sink.received, 'path'), ['/due']);
  for (const job of [later, paused]) assert.deepEqual(await runsOf(job), []);
});

test('a job that is still running when it is due again is called as soon as it ends', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - 2 * minute);
  const bystander = await addJob({ ...dueOnce, url: (await startSink(t)).url });
  clock.set(dueAt - minute);
  const engine = await start();
  await sink.waitFor(1);
  clock.set(dueAt + 40_000);
  engine.wake();
  await endedRuns(bystander, 1);
  assert.equal(sink.received.length, 1, 'a job executes one run at a time');
  sink.release();
  await sink.waitFor(1);
  sink.release();
  const runs = await endedRuns(job, 2);
  assert.deepEqual(each(runs, 'status', 'scheduledFor', 'startedAt'), [
    ['success', dueAt - minute, dueAt - minute],
    ['success', dueAt, dueAt + 40_000],
  ]);
});

test('a manual run is called before all due ones', async (t) => {
  const { start, addJob, clock, ask, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  for (const path of ['/a', '/b', '/c']) await addJob({ ...dueOnce, url: sink.url + path });
  const last = await addJob({ cronExpr: '12 * * * *', url: `${sink.url}/by-hand` });
  clock.set(dueAt);
  const queued = await ask(last);
  await start({ slots: 1 });
  const [run] = await endedRuns(last, 1);
  assert.deepEqual([run?.id, run?.source, run?.status], [queued.id, 'manual', 'success']);
  await until('all four calls', () => sink.received.length === 4);
  assert.equal(sink.received[0]?.path, '/by-hand');
});

test('a manual run does not change the schedule, for paused jobs too', async (t) => {
  const { start, addJob, clock, ask, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t);
  const jobs = [
    await addJob({ ...dueOnce, url: sink.url }),
    await addJob({ ...dueOnce, url: sink.url, paused: true }),
  ];
  const engine = await start();
  clock.advance(1_234);
  for (const job of jobs) await ask(job);
  engine.wake();
  for (const job of jobs) {
    await endedRuns(job, 1);
    const { nextRunAt, anchorAt, paused } = await readJob(job);
    assert.deepEqual(
      { nextRunAt, anchorAt, paused },
      { nextRunAt: job.nextRunAt, anchorAt: job.anchorAt, paused: job.paused },
    );
  }
});

test('manual runs of one job are called one after another, the oldest first', async (t) => {
  const { start, addJob, clock, ask, endedRuns } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const asked: string[] = [];
  for (let minutes = 0; minutes < 3; minutes += 1) {
    asked.push((await ask(job)).id);
    clock.advance(minute);
  }
  await start();
  for (const _ of asked) {
    await sink.waitFor(1);
    sink.release();
  }
  await endedRuns(job, 3);
  assert.equal(sink.mostWaiting, 1);
  assert.deepEqual(
    sink.received.map(({ headers }) => headers['x-service-run-id']),
    asked,
  );
});

test('a wall clock set back by an hour calls no due time twice', async (t) => {
  const { start, addJob, clock, store, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
  clock.set(dueAt);
  const engine = await start();
  await endedRuns(job, 1);
  clock.advance(-60 * minute);
  // Its due times are computed again: those that the clock comes to now were never called.
  const again = dueAt - 59 * minute;
  await until('the correction', async () => (await readJob(job)).nextRunAt === again);
  clock.advance(minute);
  engine.wake();
  await endedRuns(job, 2);

  // As if the schedule had been computed by the clock that was set back.
  await store.db.updateTable('jobs').set({ next_run_at: dueAt }).where('id', '=', job.id).execute();
  clock.set(dueAt);
  engine.wake();
  await until('the due time after', async () => (await readJob(job)).nextRunAt! > dueAt);
  clock.advance(minute);
  engine.wake();
  const runs = await endedRuns(job, 3);
  assert.deepEqual(each(runs, 'scheduledFor', 'status'), [
    [again, 'success'],
    [dueAt, 'success'],
    [dueAt + minute, 'success'],
  ]);
  assert.equal(sink.received.length, 3);
});
