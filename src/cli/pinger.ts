/** Sends pings as a task can afford it: short waits, a few attempts, and failure is a value. */

import { setTimeout } from 'node:timers/promises';
import { JobdError } from '../domain/errors.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { sendPing } from './client.ts';

/** Longest wait for one answer. */
const attemptTimeoutMs = 5_000;
/** Waits between the attempts: all in all at most 28 s if nothing answers, 8 s if all refuse. */
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

/** Sends a ping; resolves with why it could not be delivered, or null. An abort ends its patience. */
export async function deliver(
  url: string,
  body: string | null,
  signal: AbortSignal,
): Promise<JobdError | null> {
  let pauses = pausesMs;
  for (;;) {
    const failure = await attempt(url, body);
    const [pauseMs, ...later] = pauses;
    if (failure === null || !passing.has(failure.code)) return failure;
    if (pauseMs === undefined || signal.aborted) return failure;
    await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return failure;
    pauses = later;
  }
}

async function attempt(url: string, body: string | null): Promise<JobdError | null> {
  try {
    await sendPing(url, { body, timeoutMs: attemptTimeoutMs });
    return null;
  } catch (error) {
    if (error instanceof JobdError) return error;
    return new JobdError('internal', String(error), { cause: error });
  }
}
