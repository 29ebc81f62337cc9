/** How late runs start: counted by values of two significant digits, which can be added up over minutes and nodes. */

/** How often each lateness was seen, in milliseconds. */
export type LatenessCounts = ReadonlyMap<number, number>;

/** How late the runs started that ended in a window of time; null if none ended. */
export interface Lateness {
  /** Length of the window. */
  windowSeconds: number;
  p50Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}

/** A run that would begin over a minute late is missed, so larger values are rare. */
const largestMs = 600_000;

/** The value that a lateness is counted as. A negative one (a clock set back) is on time. */
export function countedLateness(latenessMs: number): number {
  const ms = Math.min(Math.max(Math.round(latenessMs), 0), largestMs);
  if (ms < 100) return ms;
  const step = 10 ** (Math.floor(Math.log10(ms)) - 1);
  return Math.round(ms / step) * step;
}

/** Adds counts up. */
export function sumOfLateness(counts: Iterable<LatenessCounts>): Map<number, number> {
  const sum = new Map<number, number>();
  for (const some of counts) {
    for (const [ms, count] of some) sum.set(ms, (sum.get(ms) ?? 0) + count);
  }
  return sum;
}

/** The figures of a window. */
export function latenessOf(counts: LatenessCounts, windowSeconds: number): Lateness {
  const inOrder = Array.from(counts).toSorted(([one], [other]) => one - other);
  const total = inOrder.reduce((sum, [, count]) => sum + count, 0);
  const percentile = (percent: number): number | null => {
    let seen = 0;
    const found = inOrder.find(([, count]) => (seen += count) >= (total * percent) / 100);
    return found?.[0] ?? null;
  };
  return {
    windowSeconds,
    p50Ms: percentile(50),
    p99Ms: percentile(99),
    maxMs: inOrder.at(-1)?.[0] ?? null,
  };
}
