/** A smaller plan caps the timeout of later calls. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPlan } from '../../../src/app/accounts/accounts.ts';
import type { Egress } from '../../../src/egress/egress.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';

test('the timeout of a call is capped by the plan at the time of the call', async (t) => {
  const engineTest = await setupEngine(t);
  const { start, addJob, ask, clock, endedRuns, readJob } = engineTest;
  const timeouts: number[] = [];
  const egress: Egress = {
    async call({ timeoutMs }) {
      timeouts.push(timeoutMs);
      return { kind: 'failure', failure: { reason: 'timeout', detail: 'by the test' } };
    },
    prepare() {},
    useCallKeys() {},
    async [Symbol.asyncDispose]() {},
  };
  const long = await addJob({ ...dueOnce, timeoutSeconds: 60 });
  const short = await addJob({ cronExpr: '12 * * * *', timeoutSeconds: 5 });
  const engine = await start({ egress });
  clock.set(dueAt);
  engine.wake();
  await endedRuns(long, 1);
  await setPlan(engineTest, 'default', 'free');
  clock.set(dueAt + 60_000);
  engine.wake();
  await endedRuns(short, 1);
  await ask(long);
  engine.wake();
  await endedRuns(long, 2);
  await setPlan(engineTest, 'default', 'pro');
  clock.set(dueAt + 3_600_000);
  engine.wake();
  await endedRuns(long, 3);
  assert.deepEqual(timeouts, [60_000, 5_000, 10_000, 30_000]);
  assert.equal((await readJob(long)).timeoutSeconds, 60, 'the job itself stays as it is');
});
