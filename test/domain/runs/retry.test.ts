/** Which failures are retried, and when (docs/behavior.md#retries). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureReasons } from '../../../src/domain/runs/outcome.ts';
import type { TargetResult, Failure } from '../../../src/domain/runs/outcome.ts';
import { retryAt } from '../../../src/domain/runs/retry.ts';

const now = Date.parse('2026-03-02T10:00:00Z');

function answered(httpStatus: number, retryAfter: string | null = null): TargetResult {
  const rest = { location: null, body: '', truncated: false, broken: null };
  return { kind: 'response', response: { httpStatus, retryAfter, ...rest } };
}

function failed(reason: Failure['reason'], temporary?: boolean): TargetResult {
  const failure = { reason, detail: '', ...(temporary !== undefined && { temporary }) };
  return { kind: 'failure', failure };
}

/** How long after its first attempt a run with one retry is retried; null: never. */
function waitMs(result: TargetResult): number | null {
  const at = retryAt(1, 1, result, now);
  return at === null ? null : at - now;
}

test('without retries nothing is retried', () => {
  for (const result of [answered(500), answered(429), failed('refused'), failed('reset')]) {
    assert.equal(retryAt(0, 1, result, now), null);
  }
});

test('the second attempt waits 1 s, the third 5 s, and there is no fourth', () => {
  const waits = [1, 2, 3, 4].map((attempt) => retryAt(2, attempt, answered(500), now));
  assert.deepEqual(waits, [now + 1_000, now + 5_000, null, null]);
});

test('of all answers only 429 and 5xx are retried', () => {
  for (const httpStatus of [429, 500, 501, 502, 503, 504, 599]) {
    assert.equal(waitMs(answered(httpStatus)), 1_000, String(httpStatus));
  }
  for (const httpStatus of [200, 204, 301, 302, 304, 400, 401, 404, 408, 425, 428, 430, 499, 600]) {
    assert.equal(waitMs(answered(httpStatus)), null, String(httpStatus));
  }
});

test('a 2xx that broke off is not retried: the task may have run', () => {
  for (const reason of failureReasons) {
    const broken: Failure = { reason, detail: '' };
    const response = { httpStatus: 200, location: null, retryAfter: null, body: '' };
    const result: TargetResult = {
      kind: 'response',
      response: { ...response, truncated: false, broken },
    };
    assert.equal(waitMs(result), null, reason);
  }
});

test('only connections that failed or were lost are retried', () => {
  const passing = failureReasons.filter((reason) => waitMs(failed(reason)) !== null);
  assert.deepEqual(passing, ['refused', 'reset']);
});

test('a failed name lookup is retried only if the cause may be temporary', () => {
  assert.equal(waitMs(failed('dns', true)), 1_000);
  assert.equal(waitMs(failed('dns', false)), null);
  assert.equal(waitMs(failed('timeout', true)), null, 'temporary is a word of dns only');
});

test('a timeout is retried only if no byte of the request was written', () => {
  for (const unsent of [true, false]) {
    const failure: Failure = { reason: 'timeout', detail: '', unsent };
    assert.equal(waitMs({ kind: 'failure', failure }), unsent ? 1_000 : null);
  }
});

test('Retry-After replaces the wait, in seconds or as a date, up to 30 s', () => {
  for (const [retryAfter, expected] of [
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['30', 30_000],
    ['31', 30_000],
    ['99999999999999999999', 30_000],
    ['Mon, 02 Mar 2026 10:00:12 GMT', 12_000],
    ['Mon, 02 Mar 2026 11:00:00 GMT', 30_000],
    ['Mon, 02 Mar 2026 09:00:00 GMT', 0],
    ['soon', 1_000],
    ['', 1_000],
  ] as const) {
    assert.equal(waitMs(answered(503, retryAfter)), expected, JSON.stringify(retryAfter));
  }
  assert.equal(waitMs(answered(404, '1')), null, 'no other status becomes retryable');
});
