/** Notices when the wall clock does not go on as time does: it was set, or the machine slept. */

import type { Clock } from '../domain/clock.ts';

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
