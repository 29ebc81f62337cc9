/** What the runs of a job came to, day by day in its zone. A day before the kept runs is not listed: nothing is known of it. */

import { dayReader, isoDay, lastDays } from '../schedule/local-days.ts';
import type { Outcomes } from './rate.ts';
import type { Run } from './run.ts';

/** What is counted of a run. */
export type RunFigures = Pick<Run, 'scheduledFor' | 'status' | 'durationMs'>;

/** The runs that were due on one day. Times of calls that ended, in milliseconds; null if there were none. */
export interface DayOfRuns extends Outcomes {
  /** As the calendar of the zone names it: 2026-03-29. */
  date: string;
  medianMs: number | null;
  maxMs: number | null;
}

/**
 * The last `count` days of a zone, the oldest first, without days before `since`, from which on runs are known. A run
 * that is not over does not count. `now` and `since` are epoch milliseconds.
 */
export function daysOfRuns(
  runs: readonly RunFigures[],
  { timezone, since, now, count }: { timezone: string; since: number; now: number; count: number },
): DayOfRuns[] {
  const dayOf = dayReader(timezone);
  const firstKnown = dayOf(since);
  const days = new Map(
    lastDays(timezone, now, count)
      .filter((day) => day >= firstKnown)
      .map((day) => [
        day,
        { success: 0, failed: 0, interrupted: 0, missed: 0, times: [] as number[] },
      ]),
  );
  for (const { scheduledFor, status, durationMs } of runs) {
    const day = days.get(dayOf(scheduledFor));
    if (day === undefined || status === 'queued' || status === 'running') continue;
    day[status] += 1;
    if (durationMs !== null) day.times.push(durationMs);
  }
  return Array.from(days, ([day, { times, ...counts }]) => {
    const sorted = times.toSorted((one, other) => one - other);
    return {
      date: isoDay(day),
      ...counts,
      medianMs: percentile(sorted, 0.5),
      maxMs: sorted.at(-1) ?? null,
    };
  });
}

/** The least of sorted numbers that at least this share of them (above 0, to 1) does not exceed; null if there are none. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}
