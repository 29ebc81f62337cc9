/** Sends pings as a task can afford it: short waits, a few attempts, and failure is a value. */

import { setTimeout } from 'node:timers/promises';
import { JobdError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { sendPing } from '../client/client.ts';

/** Longest wait for one answer. */
const attemptTimeoutMs = 5_000;
/** Longest wait for all, in milliseconds: a task must not end much later because nobody listens. */
export const patienceMs = 10_000;
/** Waits between the attempts: 7.5 s in all if each is refused at once. */
const pausesMs = [500, 2_000, 5_000];
/** Failures that may pass; whatever else is said, it will be said again. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'unreachable',
  'unavailable',
  'internal',
  'rate_limited',
]);

/** The URL that says how a run stands: `/start`, `/fail` or an exit code behind the monitor's own. */
export function signalUrl(pingUrl: string, signal: 'start' | 'fail' | number): string {
  const url = new URL(pingUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${signal}`;
  return url.href;
}

/**
 * Sends a ping; resolves with why it could not be delivered, or null. An abort ends its patience, which is `forMs`
 * milliseconds at most.
 */
export async function deliver(
  url: string,
  body: string | null,
  signal: AbortSignal,
  forMs = patienceMs,
): Promise<JobdError | null> {
  const deadline = performance.now() + forMs;
  const leftMs = (): number => Math.max(1, Math.ceil(deadline - performance.now()));
  let pauses = pausesMs;
  for (;;) {
    const failure = await attempt(url, body, Math.min(attemptTimeoutMs, leftMs()));
    const [pauseMs, ...later] = pauses;
    if (failure === null || !passing.has(failure.code)) return failure;
    if (pauseMs === undefined || signal.aborted || leftMs() <= pauseMs) return failure;
    await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return failure;
    pauses = later;
  }
}

async function attempt(
  url: string,
  body: string | null,
  timeoutMs: number,
): Promise<JobdError | null> {
  try {
    await sendPing(url, { body, timeoutMs });
    return null;
  } catch (error) {
    if (error instanceof JobdError) return error;
    return new JobdError('internal', String(error), { cause: error });
  }
}
