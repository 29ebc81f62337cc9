/** Whether and when an attempt is followed by another (docs/behavior.md#retry-1). */

import type { TargetResult } from './outcome.ts';
import type { Why } from './reason.ts';

/** Waits before the second and the third attempt, unless the target asks for another wait. */
const waitsMs = [1_000, 5_000];
/** The longest `Retry-After` that is honoured. */
const longestWaitMs = 30_000;

/**
 * The time of the next attempt in epoch milliseconds, or null if there is none: no retries are left, or the failure
 * will not pass. After a timeout the target may still be working, unless nothing was sent.
 *
 * @param retries how many attempts may follow the first
 * @param attempt the number of the attempt just made, from 1
 * @param now when it ended
 */
export function retryAt(
  retries: number,
  attempt: number,
  result: TargetResult,
  now: number,
): number | null {
  if (attempt > retries || !isPassing(result)) return null;
  return now + (askedWaitMs(result, now) ?? waitsMs[attempt - 1] ?? longestWaitMs);
}

function isPassing(result: TargetResult): boolean {
  if (result.kind === 'response') return isRetried({ ...result.response, reason: null });
  const { reason, temporary, unsent } = result.failure;
  if (reason === 'dns') return temporary === true;
  if (reason === 'timeout') return unsent === true;
  return isRetried({ reason, httpStatus: null });
}

/** Whether failures like this one are retried; of `dns` and `timeout` only some, which a run does not say. */
export function isRetried({ reason, httpStatus }: Pick<Why, 'reason' | 'httpStatus'>): boolean {
  if (httpStatus !== null) return httpStatus === 429 || (httpStatus >= 500 && httpStatus < 600);
  return reason !== null && ['dns', 'timeout', 'refused', 'reset'].includes(reason);
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`. Date.parse accepts far more, even `-1`. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long an answer asks to wait, in milliseconds, at most `longestMs`: `Retry-After` in either of its forms (RFC
 * 9110, section 10.2.3). Null if it is missing or unreadable.
 */
export function askedWaitMs(
  result: TargetResult,
  now: number,
  longestMs = longestWaitMs,
): number | null {
  if (result.kind === 'failure' || result.response.retryAfter === null) return null;
  const text = result.response.retryAfter.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, longestMs);
  if (!httpDate.test(text)) return null;
  const waitMs = Date.parse(text) - now;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), longestMs);
}
