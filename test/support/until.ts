/** Waits for a fact instead of a time. */

import { setTimeout } from 'node:timers/promises';

type Truthy<T> = Exclude<T, null | undefined | false>;

/** Longer than anything takes on the slowest machine: only a failure needs all of it. */
const deadlineMs = 60_000;
const firstRestMs = 10;
const longestRestMs = 700;

/**
 * Resolves with the first truthy result of `fact`; rejects with its name if none comes within a minute. It rests longer each
 * time, so that a fact asked of the API stays within the requests that a key may make in a minute.
 */
export async function until<T>(
  what: string,
  fact: () => T | Promise<T>,
  { timeoutMs = deadlineMs, everyMs = firstRestMs } = {},
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeoutMs;
  for (let restMs = everyMs; ; restMs = Math.min(restMs * 1.2, longestRestMs)) {
    const answer = await fact();
    if (answer) return answer as Truthy<T>;
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await setTimeout(restMs);
  }
}
