/** What is drawn of a job: a mark for each run and each due time, and one for many that follow each other closely. */

import { dueBetween, nextDue } from '../../domain/schedule/next.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { RunStatus } from '../../domain/runs/run.ts';

/** Due times that are no further apart are one mark. */
const closeMs = 15 * 60_000;
const hourMs = 3_600_000;

/** Due times: one, or `count` from `at` to `until`, none of them over 15 minutes after the one before; epoch milliseconds. */
export interface DueMark {
  at: number;
  until: number;
  count: number;
}

/** Runs of one status in the same way. */
export interface RunMark extends DueMark {
  status: RunStatus;
  /** The newest of them. */
  id: string;
  durationMs: number | null;
}

/** What is read of a run, in epoch milliseconds. */
export interface MarkedRun extends Pick<RunMark, 'id' | 'status' | 'durationMs'> {
  scheduledFor: number;
  /** Of a missed one, the last due time that it stands for, and how many. */
  lastDueAt: number | null;
  missedCount: number | null;
}

/** Due times, and how many were computed; `isPartial`: there are more than were asked for. */
export interface DueMarks {
  due: DueMark[];
  computed: number;
  isPartial: boolean;
}

/** The due times from `first`, which is one, up to `until`. It computes `most` of them, or a few more, and then stops. */
export function dueMarks(
  schedule: Schedule,
  first: number,
  { until, most }: { until: number; most: number },
): DueMarks {
  if (schedule.scheduleType === 'period' && schedule.periodSeconds * 1_000 <= closeMs) {
    const all = dueBetween(schedule, first - 1, until);
    const due = all === null ? [] : [{ at: all.first, until: all.last, count: all.count }];
    return { due, computed: 1, isPartial: false };
  }
  const due: DueMark[] = [];
  let computed = 0;
  let at: number | null = first;
  while (at !== null && at <= until) {
    if (computed >= most) return { due, computed, isPartial: true };
    const last = due.at(-1);
    if (last === undefined || at - last.until > closeMs) due.push({ at, until: at, count: 1 });
    else {
      last.until = at;
      last.count += 1;
      const repeated = repeatsAfter(schedule, last, until);
      computed += repeated === null ? 0 : 20;
      if (repeated !== null) Object.assign(last, repeated);
    }
    computed += 1;
    at = nextDue(schedule, due.at(-1)?.until ?? at);
  }
  return { due, computed, isPartial: false };
}

/**
 * A mark that has just become an hour long, as far as its hour is repeated: a schedule has the same minutes in each hour in which
 * it is due, so that an hour with as many due times has the same ones. Null if the mark is not that long, or longer.
 */
function repeatsAfter(
  schedule: Schedule,
  { at, until, count }: DueMark,
  end: number,
): DueMark | null {
  const isHour = until === at + hourMs;
  const inHour = count - 1;
  let [low, high] = [1, Math.floor((end - at) / hourMs)];
  if (!isHour || high <= 1) return null;
  while (low < high) {
    const hours = Math.ceil((low + high) / 2);
    const there = dueBetween(schedule, at, at + hours * hourMs);
    if (there?.count === hours * inHour) low = hours;
    else high = hours - 1;
  }
  return { at, until: at + low * hourMs, count: 1 + low * inHour };
}

/** Adds the marks of runs to those of newer ones, the newest first. */
export function addRuns(marks: RunMark[], runs: readonly MarkedRun[]): void {
  for (const { id, status, durationMs, scheduledFor: at, lastDueAt, missedCount } of runs) {
    const [until, count] = [lastDueAt ?? at, missedCount ?? 1];
    const next = marks.at(-1);
    if (next?.status === status && next.at - until <= closeMs) {
      next.at = at;
      next.count += count;
    } else marks.push({ id, status, durationMs, at, until, count });
  }
}
