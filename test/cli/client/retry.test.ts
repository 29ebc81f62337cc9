/** What commands wait for: a server that is away or limits them, and the share of the limit that they leave to others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace, passingDelayMs, withinRateLimit } from '../../../src/cli/client/retry.ts';
import { catchInterrupt } from '../../../src/cli/terminal/waiting.ts';
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

/** Of all that listen, the newest one: the test runner would end the process. */
function pressCtrlC(): void {
  process.listeners('SIGINT').at(-1)?.('SIGINT');
}

test('Ctrl-C ends the wait for a limit of whoever catches it, in whatever depth', async () => {
  const limited = new JobdError('rate_limited', 'a key may ask 1 time: again in 60 s', {
    retryAfterSeconds: 60,
  });
  const said: string[] = [];
  using interrupt = catchInterrupt();
  const ask = withinRateLimit(
    () => Promise.reject(limited),
    (line) => {
      said.push(line);
      pressCtrlC();
    },
  );
  await assert.rejects(ask('GET', '/jobs'), limited);
  assert.ok(interrupt.signal.aborted);
  assert.deepEqual(said, ['a key may ask 1 time: again in 60 s; waiting']);
});
