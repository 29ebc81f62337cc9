/**
 * Two clocks, never to be mixed: the wall clock says when something is due and is what people
 * read; it may step. The monotonic clock measures durations and deadlines; it never steps.
 */
export interface Clock {
  /** Wall time, in milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds since an arbitrary start; only differences have a meaning. */
  monotonicMs(): number;
}

/** The clocks of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Wall time as the API writes it: ISO 8601, UTC, milliseconds, `Z`. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}
