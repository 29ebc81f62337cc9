/** Whether a target may have got a request whose time was over. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeTimers } from '../support/fakes/timers.ts';
import { until } from '../support/until.ts';
import { failureOf, get, startEgress, startTarget } from './support.ts';

test('a timeout after the request was sent says that the target may have got it', async (t) => {
  const target = await startTarget(t, () => {});
  const timers = fakeTimers();
  const egress = startEgress(t, { timers });
  const timeoutMs = 60_000;
  const calling = egress.call(get(target.url, { timeoutMs }));
  await until('the request', () => target.requests.length === 1);
  timers.pass(timeoutMs);
  const { reason, unsent } = failureOf(await calling);
  assert.deepEqual({ reason, unsent }, { reason: 'timeout', unsent: false });
});
