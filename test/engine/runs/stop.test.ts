/** Runs at a stop: finished, interrupted, or found by the next daemon. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../../src/store/database/store.ts';
import { each } from '../../support/each.ts';
import { testWriter } from '../../support/running/writer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const hour = 3_600_000;

/** The state left by a process that dies between its claim and the answer. */
async function claimAndDie(store: Store, now: number): Promise<number> {
  const { executions } = await testWriter(store, fakeClock(now), 10).claim();
  return executions.length;
}

test('a run whose process died is interrupted and never sent again', async (t) => {
  const { start, addJob, clock, store, logged, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 2 });
  clock.set(dueAt);
  assert.equal(await claimAndDie(store, dueAt), 1);
  clock.advance(1_000);
  const engine = await start();
  const [run, ...more] = await endedRuns(job, 1);
  assert.deepEqual(more, []);
  assert.deepEqual(run, {
    id: run?.id,
    jobId: job.id,
    source: 'scheduled',
    status: 'interrupted',
    scheduledFor: dueAt,
    startedAt: dueAt,
    finishedAt: dueAt + 1_000,
    attempts: 1,
    httpStatus: null,
    durationMs: null,
    responseBody: null,
    truncated: false,
    error: 'interrupted: the process that executed it ended before the outcome was known',
  });
  const { activeRunId, health, nextRunAt } = await readJob(job);
  assert.deepEqual([activeRunId, health, nextRunAt], [null, 'new', dueAt + hour]);
  assert.ok(logged.some(({ level, msg }) => level === 40 && msg === 'run ended'));

  clock.set(dueAt + hour);
  engine.wake();
  const runs = await endedRuns(job, 2);
  assert.deepEqual(each(runs, 'status'), ['interrupted', 'success']);
  assert.deepEqual(
    sink.received.map(({ headers }) => headers['x-service-run-id']),
    [runs[1]?.id],
    'only the next due time was sent',
  );
});

test('a manual run whose process died is interrupted; a queued one is sent', async (t) => {
  const { start, addJob, clock, ask, store, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const died = await ask(job);
  assert.equal(await claimAndDie(store, clock.now()), 1);
  clock.advance(60_000);
  const queued = await ask(job);
  await start();
  const runs = await endedRuns(job, 2);
  assert.deepEqual(each(runs, 'id', 'status'), [
    [died.id, 'interrupted'],
    [queued.id, 'success'],
  ]);
  assert.equal(sink.received.length, 1);
});

test('an interrupted run changes neither the health of its job nor its down reason', async (t) => {
  const { start, addJob, clock, store, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(path === '/up' ? 200 : 500).end();
  });
  const jobs = [
    await addJob({ ...dueOnce, url: `${sink.url}/up` }),
    await addJob({ ...dueOnce, url: `${sink.url}/down` }),
  ];
  clock.set(dueAt);
  const first = await start();
  for (const job of jobs) await endedRuns(job, 1);
  await first[Symbol.asyncDispose]();
  clock.set(dueAt + hour);
  assert.equal(await claimAndDie(store, clock.now()), 2);
  await start();
  const after: unknown[] = [];
  for (const job of jobs) {
    await endedRuns(job, 2);
    const { health, downReason } = await readJob(job);
    after.push([health, downReason]);
  }
  assert.deepEqual(after, [
    ['up', null],
    ['down', 'http: 500'],
  ]);
});

test('a stop waits for the calls in flight and starts no others', async (t) => {
  const { start, addJob, clock, runsOf, readJob } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const called = await addJob({ ...dueOnce, url: sink.url });
  const waiting = await addJob({ cronExpr: '12 * * * *', url: sink.url });
  clock.set(dueAt);
  const engine = await start();
  await sink.waitFor(1);
  let stopped = false;
  const stopping = engine[Symbol.asyncDispose]().then(() => (stopped = true));
  clock.advance(60_000);
  engine.wake();
  const elsewhere = await startSink(t);
  await fetch(elsewhere.url);
  assert.equal(stopped, false, 'it waits for the answer');
  sink.release();
  await stopping;
  assert.deepEqual(each(await runsOf(called), 'status'), ['success']);
  assert.deepEqual(await runsOf(waiting), []);
  assert.equal((await readJob(waiting)).nextRunAt, dueAt + 60_000, 'it stays due');
  assert.equal(sink.received.length, 1);
});

test('a stop waits for a limited time: runs without an answer by then are interrupted', async (t) => {
  const { start, addJob, clock, runsOf, readJob } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const jobs = await Promise.all(
    Array.from({ length: 3 }, () => addJob({ ...dueOnce, url: sink.url, retries: 2 })),
  );
  clock.set(dueAt);
  const engine = await start({ drainMs: 60_000 });
  await sink.waitFor(3);
  const stopping = engine[Symbol.asyncDispose]();
  await until('the wait', () => clock.leftMs().includes(60_000));
  clock.pass(60_000);
  await stopping;
  for (const job of jobs) {
    const [run, ...more] = await runsOf(job);
    assert.deepEqual(more, []);
    assert.equal(run?.status, 'interrupted');
    assert.equal(run?.error, 'interrupted: jobd stopped before the answer came');
    assert.deepEqual([run?.attempts, run?.durationMs], [1, null]);
    assert.equal(run?.finishedAt, dueAt + 60_000, 'it says when it was closed');
    const { activeRunId, health } = await readJob(job);
    assert.deepEqual([activeRunId, health], [null, 'new']);
  }
  await start();
  assert.equal(sink.received.length, 3, 'nor is it sent by the next daemon');
});

test('a stop also interrupts a run that waits for its next attempt', async (t) => {
  const { start, addJob, clock, runsOf } = await setupEngine(t);
  const sink = await startSink(t, (response) => {
    response.writeHead(503, { 'retry-after': '30' }).end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 1 });
  clock.set(dueAt);
  const engine = await start({ drainMs: 50 });
  await until('the first attempt', () => sink.received.length === 1);
  await engine[Symbol.asyncDispose]();
  const [run] = await runsOf(job);
  assert.deepEqual([run?.status, run?.attempts], ['interrupted', 1]);
});

test('stopping twice, at once or later, is the same as once', async (t) => {
  const { start, addJob, clock, runsOf, logged } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  clock.set(dueAt);
  const engine = await start();
  await sink.waitFor(1);
  const stops = [engine[Symbol.asyncDispose](), engine[Symbol.asyncDispose]()];
  sink.release();
  await Promise.all(stops);
  await engine[Symbol.asyncDispose]();
  engine.wake();
  assert.equal((await runsOf(job))[0]?.status, 'success');
  assert.deepEqual(
    logged.filter(({ level }) => level > 30),
    [],
  );
});
