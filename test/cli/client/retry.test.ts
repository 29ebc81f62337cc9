/** What commands wait for: a server that is away or limits them, and the share of the limit that they leave to others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace, passingDelayMs } from '../../../src/cli/client/retry.ts';
import { JobdError } from '../../../src/domain/errors.ts';

test('outages and rate limits are waited out, other failures are not', () => {
  for (const [retryAfterSeconds, delayMs] of [
    [7, 7_000],
    [3_600, 120_000],
  ] as const) {
    const limited = new JobdError('rate_limited', 'slower', { retryAfterSeconds });
    assert.equal(passingDelayMs(limited), delayMs);
  }
  for (const code of ['unreachable', 'unavailable'] as const) {
    assert.equal(passingDelayMs(new JobdError(code, 'away')), 2_000, code);
  }
  for (const code of ['internal', 'not_found', 'unauthenticated', 'conflict'] as const) {
    assert.equal(passingDelayMs(new JobdError(code, 'no')), null, code);
  }
});

test('a command sends 20 requests at once and then one each second', async () => {
  let now = 0;
  const waits: number[] = [];
  const pace = createPace(
    () => now,
    async (ms) => {
      waits.push(ms);
      now += ms;
    },
  );
  for (let count = 0; count < 20; count += 1) await pace();
  assert.deepEqual(waits, []);
  for (let count = 0; count < 3; count += 1) await pace();
  assert.deepEqual(waits, [1_000, 1_000, 1_000]);
  now += 3_600_000;
  for (let count = 0; count < 21; count += 1) await pace();
  assert.deepEqual(waits.slice(3), [1_000], 'a rest is no credit for more');
});
