/** What commands do when a server limits them, fails or is away. */

import { setTimeout } from 'node:timers/promises';
import { JobdError, systemCode } from '../../domain/errors.ts';
import { plain } from '../terminal/text.ts';
import { interruptSignal } from '../terminal/waiting.ts';
import type { Ask } from './client.ts';

export interface RetryPolicy {
  /** Milliseconds to wait after the n-th failure in a row, n from 1; null gives up. */
  delayMs: (error: JobdError, failures: number) => number | null;
  /** Called before each wait. */
  onRetry?: (error: JobdError, failures: number, delayMs: number) => void;
  /** Gives up when it aborts. */
  signal?: AbortSignal | undefined;
}

/** Calls until it succeeds. Throws the last error when the policy gives up. */
export async function retry<T>(
  call: () => Promise<T>,
  { delayMs, onRetry, signal }: RetryPolicy,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      const delay = error instanceof JobdError ? delayMs(error, failures) : null;
      if (delay === null || signal?.aborted) throw error;
      onRetry?.(error as JobdError, failures, delay);
      await pause(delay, signal);
      if (signal?.aborted) throw error;
    }
  }
}

const longestRateLimitSeconds = 120;

/** How long a server that limits requests is waited for: as long as it wants, but 2 min at most. */
function limitDelayMs(retryAfterSeconds: number): number {
  return Math.min(retryAfterSeconds, longestRateLimitSeconds) * 1_000;
}

/** How long to wait until a failure may have passed, in milliseconds; null if waiting does not help. */
export function passingDelayMs({ code, retryAfterSeconds }: JobdError): number | null {
  if (code === 'rate_limited') return limitDelayMs(retryAfterSeconds ?? 5);
  return code === 'unreachable' || code === 'unavailable' ? 2_000 : null;
}

/** Waits, unless the signal aborts first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}

/** How often a request with an `Idempotency-Key` is repeated, and after what pause. */
const repeats = 2;
const repeatAfterMs = 1_000;

/** Sends a POST with an `Idempotency-Key` of its own, and repeats it where it may have been carried out: that does nothing twice. */
export async function askOnce<T>(ask: Ask, path: string, body?: object): Promise<T> {
  const key = crypto.randomUUID();
  return await retry(() => ask<T>('POST', path, body, key), {
    delayMs: ({ code, cause }, failures) => {
      const isOpen = code === 'unavailable' || systemCode(cause) === 'ECONNRESET';
      return isOpen && failures <= repeats ? repeatAfterMs : null;
    },
  });
}

/** After this many 429 answers in a row, waiting does not help. */
const rateLimitRetries = 10;

/** Sends requests as `ask` does; on 429 it says so, waits as long as the server wants (at most 2 min), and asks again. */
export function withinRateLimit(ask: Ask, say: (message: string) => void): Ask {
  return (...question) =>
    retry(() => ask(...question), {
      delayMs: ({ code, retryAfterSeconds = 60 }, failures) =>
        code === 'rate_limited' && failures <= rateLimitRetries
          ? limitDelayMs(retryAfterSeconds)
          : null,
      onRetry: ({ message }) => say(`${plain(message)}; waiting`),
      signal: interruptSignal(),
    });
}

/** A key may send 120 requests a minute: this takes half of them, some at once. */
const requestsPerSecond = 1;
const requestsAtOnce = 20;

/** Makes what is awaited before each request, to leave part of the rate limit to others with the same key. */
export function createPace(
  monotonicMs: () => number,
  wait: (ms: number) => Promise<void>,
): () => Promise<void> {
  let tokens = requestsAtOnce;
  let at = monotonicMs();
  return async () => {
    const now = monotonicMs();
    tokens = Math.min(requestsAtOnce, tokens + ((now - at) / 1_000) * requestsPerSecond) - 1;
    at = now;
    if (tokens < 0) await wait((-tokens / requestsPerSecond) * 1_000);
  };
}
