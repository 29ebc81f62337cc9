/** Attempts of one run, and their effect on the job's health. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { createEgress, type Egress } from '../../../src/egress/egress.ts';
import { testWriter } from '../../support/running/writer.ts';
import { declaredGone, dispatch, type Dispatcher } from '../../../src/engine/runs/dispatch.ts';
import { createBacklog } from '../../../src/engine/runs/backlog.ts';
import { unidentified } from '../../support/fakes/unidentified.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { isoTime } from '../../../src/domain/clock.ts';
import { unheard } from '../../support/fakes/changes.ts';
import { rescueAll } from '../../../src/engine/runs/rescue.ts';
import { openLog } from '../../../src/base/log.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { loopback } from '../../support/running/store.ts';
import { until } from '../../support/until.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { testVault } from '../../support/fakes/vault.ts';

const hour = 3_600_000;

test('every attempt carries the id of its run and its due time, and attempts are counted', async (t) => {
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
    sink.received.map(({ headers, body }) => [
      headers['x-service-run-id'],
      headers['x-service-scheduled-for'],
      body,
    ]),
    Array.from({ length: 3 }, () => [run?.id, isoTime(dueAt), 'x']),
  );
  assert.equal((await readJob(job)).health, 'up', 'a successful retry is not a failure');
});

test('after the last retry the run keeps its last answer', async (t) => {
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

test('a permanent failure is not retried', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t, (response) => response.writeHead(404).end());
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 2 });
  clock.set(dueAt);
  await start();
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts], ['failed', 1]);
  assert.equal(sink.received.length, 1);
});

test('a refused connection counts as an attempt', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const job = await addJob({ ...dueOnce, url: 'http://127.0.0.1:1/', retries: 1 });
  clock.set(dueAt);
  await using real = createEgress({ allowTargets: loopback, connectionsPerHost: 1, userAgent: '' });
  const call: typeof real.call = async (...given) => {
    const result = await real.call(...given);
    // By then the next attempt is waited for.
    setImmediate(() => clock.pass(1_000));
    return result;
  };
  await start({ egress: { ...real, call } });
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts, run?.httpStatus], ['failed', 2, null]);
  assert.match(run?.error ?? '', /^refused: /);
  assert.equal(run?.durationMs, 1_000, 'the wait between the attempts is part of the run');
});

test('attempts is correct before each attempt arrives, and after a crash', async (t) => {
  const { start, addJob, ask, clock, endedRuns, runsOf, store } = await setupEngine(t);
  const seen: unknown[] = [];
  const answer = async (response: ServerResponse): Promise<void> => {
    const [run] = await runsOf(job);
    seen.push([run?.status, run?.attempts]);
    if (seen.length < 3) response.writeHead(503, { 'retry-after': '0' }).end();
  };
  const sink = await startSink(t, (response) => void answer(response));
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 2 });
  const queued = await ask(job);
  assert.equal(queued.attempts, 0);
  const engine = await start({ drainMs: 50 });
  await until('the third attempt', () => seen.length === 3);
  assert.deepEqual(seen, [
    ['running', 1],
    ['running', 2],
    ['running', 3],
  ]);
  // As the next process would, if this one died now.
  clock.advance(-60_000);
  assert.equal(
    await rescueAll({ store, clock, log: openLog('silent'), meter: uncounted, changes: unheard }),
    1,
  );
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts, run?.durationMs], ['interrupted', 3, null]);
  assert.equal(run?.finishedAt, run?.startedAt, 'it never ends before it began');
  await engine[Symbol.asyncDispose]();
});

test('retries of many runs are stored in a few transactions', async (t) => {
  const { start, addJob, clock, endedRuns, store } = await setupEngine(t);
  const sink = await startSink(t, (response) => {
    response.writeHead(503, { 'retry-after': '0' }).end();
  });
  const count = 200;
  const jobs = await Promise.all(
    Array.from({ length: count }, () => addJob({ ...dueOnce, url: sink.url, retries: 2 })),
  );
  let transactions = 0;
  const counting: Store = {
    ...store,
    write(work) {
      transactions += 1;
      return store.write(work);
    },
  };
  await start({ store: counting, slots: count, slotsPerHost: count });
  clock.set(dueAt);
  for (const job of jobs) {
    const [run] = await endedRuns(job, 1);
    assert.deepEqual([run?.status, run?.attempts], ['failed', 3]);
  }
  assert.ok(transactions < count, `${transactions} transactions for ${2 * count} attempts`);
});

test('an attempt that cannot be stored within a minute is not sent at all', async (t) => {
  const { clock, run, parts } = await claimedRun(t);
  let calls = 0;
  const keepAttempt = async (): Promise<boolean> => {
    clock.pass(60_001);
    return true;
  };
  const egress = refusing(() => (calls += 1));
  const { ended } = await dispatch(run, { ...parts, egress, keepAttempt });
  const { status, attempts, reason } = ended;
  assert.deepEqual([status, attempts, reason, calls], ['failed', 1, 'refused', 1]);
});

test('an attempt is sent only once it is stored', async (t) => {
  const { start, addJob, clock, logged, endedRuns, store } = await setupEngine(t);
  let isBroken = false;
  const sink = await startSink(t, (response) => {
    isBroken = sink.received.length === 1;
    response.writeHead(503, { 'retry-after': '0' }).end();
  });
  const job = await addJob({ ...dueOnce, url: sink.url, retries: 1 });
  const breaking: Store = {
    ...store,
    write(work) {
      if (isBroken) throw new Error('the disk is full');
      return store.write(work);
    },
  };
  await start({ store: breaking });
  clock.set(dueAt);
  await until(
    'failures',
    () => logged.filter(({ msg }) => msg.startsWith('record failed')).length > 1,
  );
  assert.equal(sink.received.length, 1);
  isBroken = false;
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.attempts, sink.received.length], [2, 2]);
});

test('a stop past its deadline ends waiting attempts', async () => {
  const stop = new AbortController();
  const backlog = createBacklog(stop.signal);
  const kept = backlog.keepAttempt({ runId: 'r', jobId: 'j', attempts: 2 });
  assert.equal(backlog.size, 1);
  stop.abort();
  await assert.rejects(kept, /aborted/);
  await assert.rejects(backlog.keepAttempt({ runId: 'r', jobId: 'j', attempts: 2 }), /aborted/);
  assert.equal(backlog.size, 0);
});

test('a job is new, then up or down by its last outcome, with the reason it is down', async (t) => {
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

test('a missed run changes neither the health of its job nor its down reason', async (t) => {
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

/** A run that is claimed, and not sent yet, with what dispatches it: its target refuses. */
async function claimedRun(t: TestContext) {
  const { addJob, store, clock } = await setupEngine(t);
  await addJob({ ...dueOnce, retries: 2 });
  clock.set(dueAt);
  const { executions } = await testWriter(store, clock, 1).claim();
  const [run = assert.fail()] = executions;
  const parts: Dispatcher = {
    egress: refusing(() => {}),
    vault: testVault,
    callers: unidentified,
    clock,
    log: openLog('silent'),
    traceContext: false,
    reportUrlOf: (runId: string) => `https://jobd.test/report/${runId}`,
    spans: null,
    keepAttempt: async () => true,
    membership: alone(clock),
    heldUp: new Map(),
    signal: new AbortController().signal,
  };
  return { clock, run, parts };
}

/** A target that refuses each call. */
function refusing(onCall: () => void): Egress {
  return calling(async () => {
    onCall();
    return { kind: 'failure', failure: { reason: 'refused', detail: 'by the test' } };
  });
}

function calling(call: Egress['call']): Egress {
  return { call, prepare() {}, useCallKeys() {}, async [Symbol.asyncDispose]() {} };
}

test('nothing is sent while the lease of this node may have run out', async (t) => {
  const { clock, run, parts } = await claimedRun(t);
  let calls = 0;
  // By the time it is asked a minute has passed.
  const mayBeginForMs = (): number => {
    clock.pass(60_001);
    return 0;
  };
  const egress = refusing(() => (calls += 1));
  const { ended } = await dispatch(run, { ...parts, egress, membership: { mayBeginForMs } });
  assert.deepEqual([ended.status, ended.attempts, calls], ['interrupted', 0, 0]);
  assert.equal(ended.reason, 'unsent');
  assert.equal(ended.detail, 'the database did not confirm that this node serves');
});

test('a call of a node that was declared gone says so', async (t) => {
  const { run, parts } = await claimedRun(t);
  const gone = new AbortController();
  const egress = calling(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
        gone.abort(declaredGone);
      }),
  );
  const { ended } = await dispatch(run, { ...parts, egress, signal: gone.signal });
  assert.equal(ended.status, 'interrupted');
  assert.equal(ended.detail, 'this node was declared gone before the answer came');
});
