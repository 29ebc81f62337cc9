/**
 * Wall-clock time finer than a millisecond, for instants that several processes compare. A process
 * takes its offset anew for each round: over minutes, the wall clock is steered and the monotonic one is not.
 */

/** What to add to `performance.now()` for epoch milliseconds; it waits for the next tick, at most 1 ms. */
export function wallOffset(): number {
  const before = Date.now();
  for (;;) {
    const now = Date.now();
    if (now !== before) return now - performance.now();
  }
}
