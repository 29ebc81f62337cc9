/** Whether a target may have got a request whose time was over. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { failureOf, get, startEgress, startTarget } from './support.ts';

test('a timeout after the request was sent says that the target may have got it', async (t) => {
  const target = await startTarget(t, () => {});
  const egress = startEgress(t);
  const timeoutMs = 60_000;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const calling = egress.call(get(target.url, { timeoutMs }));
  await until('the request', () => target.requests.length === 1);
  t.mock.timers.tick(timeoutMs);
  const { reason, unsent } = failureOf(await calling);
  assert.deepEqual({ reason, unsent }, { reason: 'timeout', unsent: false });
});
