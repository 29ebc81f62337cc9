/** An answer that took no alert: whether it says so for good, and how long it asks to wait. */

import { ifPossible } from '../errors.ts';
import type { ChannelKind } from './kinds/kind.ts';

/**
 * Statuses that say that the same request will be refused again (RFC 9110, section 15.5), or has to go elsewhere, which is not
 * followed. Others may pass: 408, 425 and 429 ask for another try, 409 and 423 are about this moment, and no service uses the
 * rest for its alerts.
 */
const lasting: ReadonlySet<number> = new Set([
  301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 413, 414, 415, 422,
]);
/** The receiver wants nothing more, as Standard Webhooks says. */
const gone = 410;
const tooMany = 429;
/** An alert that jobd cannot make or send for a reason of its own is tried this often: the reason may be fixed meanwhile. */
const mostOwnTries = 5;

/** Whether no further attempt is worth it after this status; `attempts` counts this one. */
export function isRefused(
  { attemptsIfRefused = 1 }: Pick<ChannelKind, 'attemptsIfRefused'>,
  httpStatus: number,
  attempts: number,
): boolean {
  return lasting.has(httpStatus) && (httpStatus === gone || attempts >= attemptsIfRefused);
}

/** Whether no further attempt is worth it after a failure of jobd itself; `attempts` counts this one. */
export function isLastOwnTry(attempts: number): boolean {
  return attempts >= mostOwnTries;
}

/**
 * How long an answer of 429 asks to wait in its body, in milliseconds, at most `longestMs`: in `retry_after` (seconds; Discord),
 * `retry_after_ms` (Matrix) or `parameters.retry_after` (seconds; Telegram). Null if it does not.
 */
export function askedInBodyMs(httpStatus: number, body: string, longestMs: number): number | null {
  if (httpStatus !== tooMany) return null;
  const answer = objectIn(body);
  const parameters = recordOf(answer['parameters']);
  const waits = [
    Number(answer['retry_after_ms']),
    Number(answer['retry_after']) * 1_000,
    Number(parameters['retry_after']) * 1_000,
  ].filter((waitMs) => waitMs > 0);
  return waits.length === 0 ? null : Math.min(Math.ceil(Math.max(...waits)), longestMs);
}

/** The object that a body of JSON is; an empty one for any other body. */
export function objectIn(body: string): Record<string, unknown> {
  return recordOf(ifPossible(() => JSON.parse(body) as unknown));
}

/** A value as an object; an empty one if it is none. */
export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
