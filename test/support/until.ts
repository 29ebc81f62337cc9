/** Waits for a fact instead of a time. */

import { setTimeout } from 'node:timers/promises';

type Truthy<T> = Exclude<T, null | undefined | false>;

/** Longer than anything takes on the slowest machine: only a failure needs all of it. */
const deadlineMs = 60_000;
/** The rests between two looks grow: a minute has about fifty, of which each may ask twice under a key that may ask 120 times. */
const firstRestMs = 10;
const longestRestMs = 2_000;

/** Resolves with the first truthy result of `fact`; rejects with its name if none comes within a minute. */
export async function until<T>(
  what: string,
  fact: () => T | Promise<T>,
  longestMs = deadlineMs,
): Promise<Truthy<T>> {
  const deadline = performance.now() + longestMs;
  for (let restMs = firstRestMs; ; restMs = Math.min(1.2 * restMs, longestRestMs)) {
    const answer = await fact();
    if (answer) return answer as Truthy<T>;
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await setTimeout(restMs);
  }
}
