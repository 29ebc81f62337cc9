/** Sends pings without holding up the task: short waits, few attempts. A failure is a value. */

import { JobdError, type ErrorCode } from '../../domain/errors.ts';
import { sendPing } from '../client/client.ts';
import { retry } from '../client/retry.ts';

/** Longest wait for one answer. */
const attemptTimeoutMs = 5_000;
/** Longest time for all attempts, in milliseconds: a task must not end much later because nobody answers. */
export const patienceMs = 10_000;
/** Waits between the attempts: 7.5 s in total if each is refused at once. */
const pausesMs = [500, 2_000, 5_000];
/** Failures that may pass. Any other would come again. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'unreachable',
  'unavailable',
  'internal',
  'rate_limited',
]);

/** The URL that reports the state of a run: the monitor's own with `/start`, `/fail` or an exit code. */
export function signalUrl(pingUrl: string, signal: 'start' | 'fail' | number): string {
  const url = new URL(pingUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${signal}`;
  return url.href;
}

/** Sends a ping, with retries for `forMs` milliseconds at most; an abort ends them. Returns why it was not delivered, or null. */
export async function deliver(
  url: string,
  body: string | null,
  signal: AbortSignal,
  forMs = patienceMs,
): Promise<JobdError | null> {
  const deadline = performance.now() + forMs;
  const leftMs = (): number => Math.max(1, Math.ceil(deadline - performance.now()));
  try {
    await retry(() => sendPing(url, { body, timeoutMs: Math.min(attemptTimeoutMs, leftMs()) }), {
      delayMs({ code }, failures) {
        const pauseMs = pausesMs[failures - 1];
        return passing.has(code) && pauseMs !== undefined && pauseMs < leftMs() ? pauseMs : null;
      },
      signal,
    });
    return null;
  } catch (error) {
    if (error instanceof JobdError) return error;
    return new JobdError('internal', String(error), { cause: error });
  }
}
