/** Notices that the wall clock was set, or that the machine slept. */

import type { Clock } from '../domain/clock.ts';

/**
 * Makes a function that returns how many milliseconds the wall clock has gained on the monotonic clock since its last
 * call. That is about 0, unless somebody set the clock (back: less than 0) or the machine slept, which the monotonic
 * clock does not count.
 */
export function watchClock(clock: Clock): () => number {
  const lead = (): number => clock.now() - clock.monotonicMs();
  let last = lead();
  return () => {
    const before = last;
    last = lead();
    return last - before;
  };
}

/** A wall clock that gained or lost this much between two calls was set, or the machine slept. */
export const clockStepMs = 1_000;

/** Nothing valuable is deleted for its age before the wall clock was steady for this long: it may be wrong. */
export const steadyForMs = 600_000;

/** Makes a function that returns whether the wall clock has been steady for `forMs`, as far as its calls have seen. */
export function watchSteadiness(clock: Clock, forMs: number): () => boolean {
  const gainedMs = watchClock(clock);
  let since = clock.monotonicMs();
  return () => {
    if (Math.abs(gainedMs()) >= clockStepMs) since = clock.monotonicMs();
    return clock.monotonicMs() - since >= forMs;
  };
}
