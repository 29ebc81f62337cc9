/** Attempts of one run, and what the job's health makes of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueAt, dueOnce, setupEngine } from '../support/engine.ts';
import { startSink } from '../support/sink.ts';

const hour = 3_600_000;

test('every attempt carries the id of its run, and attempts are counted', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t, (response) => {
    const status = [503, 429, 200][sink.received.length - 1] ?? 500;
    response.writeHead(status, { 'retry-after': '0' }).end(String(status));
  });
  const job = await addJob({ ...dueOnce, url: sink.url, method: 'POST', body: 'x', retries: 2 });
  clock.set(dueAt);
  await start();
  const [run, ...more] = await endedRuns(job, 1);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [run?.status, run?.attempts, run?.httpStatus, run?.responseBody, run?.error],
    ['success', 3, 200, '200', null],
  );
  assert.deepEqual(
    sink.received.map(({ headers, body }) => [headers['x-service-run-id'], body]),
    Array.from({ length: 3 }, () => [run?.id, 'x']),
  );
  assert.equal((await readJob(job)).health, 'up', 'what a retry mended was no failure');
});

test('when the retries are used up the run keeps its last answer', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t, (response) => {
    response.writeHead(500 + sink.received.length, { 'retry-after': '0' }).end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 1 });
  clock.set(dueAt);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts, run?.error], ['failed', 2, 'http: 502']);
  assert.equal(sink.received.length, 2);
  assert.equal((await readJob(job)).downReason, 'http: 502');
});

test('a failure that does not pass is not tried again', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t, (response) => response.writeHead(404).end());
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 2 });
  clock.set(dueAt);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts], ['failed', 1]);
  assert.equal(sink.received.length, 1);
});

test('a connection that was refused counts as an attempt', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const job = await addJob({ ...dueOnce, url: 'http://127.0.0.1:1/', retries: 1 });
  clock.set(dueAt);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts, run?.httpStatus], ['failed', 2, null]);
  assert.match(run?.error ?? '', /^refused: /);
  assert.ok((run?.durationMs ?? 0) >= 990, 'the wait between the attempts is part of the run');
});

test('a job is new, then up or down by its last outcome, and says why it is down', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const statuses = [200, 500, 404, 200];
  const sink = await startSink(t, (response) => {
    response.writeHead(statuses[sink.received.length - 1] ?? 200).end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url });
  const seen = [[job.health, job.downReason]];
  const engine = await start();
  for (const [index] of statuses.entries()) {
    clock.set(dueAt + index * hour);
    engine.wake();
    await endedRuns(job, index + 1);
    const { health, downReason } = await readJob(job);
    seen.push([health, downReason]);
  }
  assert.deepEqual(seen, [
    ['new', null],
    ['up', null],
    ['down', 'http: 500'],
    ['down', 'http: 404'],
    ['up', null],
  ]);
});

test('a missed run changes neither the health of its job nor the reason it is down', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t, (response) => response.writeHead(500).end());
  const job = await addJob({ ...dueOnce, url: sink.url });
  clock.set(dueAt);
  const engine = await start();
  await endedRuns(job, 1);
  clock.set(dueAt + hour + 120_000);
  engine.wake();
  const runs = await endedRuns(job, 2);
  assert.equal(runs[1]?.status, 'missed');
  const { health, downReason } = await readJob(job);
  assert.deepEqual([health, downReason], ['down', 'http: 500']);
});
