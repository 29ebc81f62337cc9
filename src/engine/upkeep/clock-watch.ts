/** Notices when the wall clock does not go on as time does: it was set, or the machine slept. */

import type { Clock } from '../../domain/clock.ts';

/**
 * Starts to watch. Each look returns how many milliseconds the wall clock has gained on the monotonic
 * one since the look before: next to nothing, unless somebody set it (less than nothing: back) or the
 * machine slept, which the monotonic clock does not count.
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

/** A wall clock that gains or loses this much between two looks was set, or the machine slept. */
export const clockStepMs = 1_000;

/**
 * Starts to watch. Each look returns whether the wall clock has gone on as time does for so many
 * milliseconds, by all looks until then.
 */
export function watchSteadiness(clock: Clock, forMs: number): () => boolean {
  const look = watchClock(clock);
  let since = clock.monotonicMs();
  return () => {
    if (Math.abs(look()) >= clockStepMs) since = clock.monotonicMs();
    return clock.monotonicMs() - since >= forMs;
  };
}
