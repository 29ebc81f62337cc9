/** Calls that this machine cannot start: their runs wait, and the target is not blamed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptResult } from '../../../src/domain/runs/outcome.ts';
import type { Egress } from '../../../src/egress/egress.ts';
import { detailsOf, dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

const trouble = 'jobd has too many open files (EMFILE)';
const held: AttemptResult = { kind: 'local', trouble };

function answered(httpStatus: number): AttemptResult {
  const rest = { location: null, retryAfter: '0', body: '', truncated: false, broken: null };
  return { kind: 'response', response: { httpStatus, ...rest } };
}

/** Returns these results in turn, then keeps returning the last one. */
function egressOf(...results: AttemptResult[]): Egress & { calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    async call() {
      calls += 1;
      return results[Math.min(calls, results.length) - 1] ?? held;
    },
    prepare() {},
    useCallKeys() {},
    async [Symbol.asyncDispose]() {},
  };
}

test('a call that this machine cannot start waits until it can, and is made once', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const job = await addJob({ ...dueOnce, retries: 0 });
  clock.set(dueAt);
  const egress = egressOf(held, answered(200));
  const engine = await start({ egress });
  await until('the reported trouble', () => detailsOf(engine).length > 0);
  assert.deepEqual(detailsOf(engine), [`calls wait: ${trouble}`]);
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts], ['success', 1]);
  assert.equal(egress.calls(), 2);
  assert.deepEqual(detailsOf(engine), []);
  assert.equal((await readJob(job)).health, 'up');
});

test('a call that cannot start within a minute is not sent, and its job does not go down', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const job = await addJob({ ...dueOnce, retries: 2 });
  clock.set(dueAt);
  const egress = egressOf(held);
  await start({ egress });
  await until('it waits', () => egress.calls() > 0);
  clock.pass(61_000);
  const [run] = await endedRuns(job, 1);
  assert.deepEqual(
    [run?.status, run?.attempts, run?.error],
    ['interrupted', 0, `interrupted: not sent: ${trouble}`],
  );
  assert.equal((await readJob(job)).health, 'new');
});

test('a call during which this machine stood still is interrupted and not made again', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const job = await addJob({ ...dueOnce, retries: 2 });
  clock.set(dueAt);
  const why = 'this machine stood still for 12 s before the answer came';
  const egress = egressOf({ kind: 'interrupted', trouble: why });
  await start({ egress });
  const [run] = await endedRuns(job, 1);
  assert.deepEqual(
    [run?.status, run?.attempts, run?.error],
    ['interrupted', 1, `interrupted: ${why}`],
  );
  assert.equal(egress.calls(), 1);
  assert.equal((await readJob(job)).health, 'new');
});

test('a run whose retry cannot start keeps the answer of the previous attempt', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const job = await addJob({ ...dueOnce, retries: 1 });
  clock.set(dueAt);
  const egress = egressOf(answered(503), held);
  await start({ egress });
  await until('it waits', () => egress.calls() > 1);
  clock.pass(61_000);
  const [run] = await endedRuns(job, 1);
  assert.deepEqual([run?.status, run?.attempts, run?.error], ['failed', 1, 'http: 503']);
});
