/** Waits for a fact instead of a time. */

import { setTimeout } from 'node:timers/promises';

type Truthy<T> = Exclude<T, null | undefined | false>;

/** Resolves with the first truthy result of `fact`; rejects with its name if none comes in time, which only a failure takes. */
export async function until<T>(
  what: string,
  fact: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs = 10 } = {},
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await fact();
    if (answer) return answer as Truthy<T>;
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await setTimeout(everyMs);
  }
}
