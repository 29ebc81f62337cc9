/** The due times around an instant. Times are epoch milliseconds. */

import { msPerDay } from '../../../domain/clock.ts';
import { dueBetween, nextDue } from '../../../domain/schedule/next.ts';
import type { Schedule } from '../../../domain/schedule/schedule.ts';

const msPerMinute = 60_000;
/** How far back a due time is searched for, step by step: most schedules are due often, and looking at years costs time. */
const stepsBack = [2, 62, 800, 41 * 366].map((days) => days * msPerDay);

export interface DueAround {
  /** The due time in the minute of the instant; null if there is none. */
  at: number | null;
  /** The last one before that minute that is after `since`. */
  before: number | null;
  /** The first one after that minute. */
  after: number | null;
}

/** Finds the due times around `at`; all are later than `since`, when the schedule began to count. */
export function dueAround(schedule: Schedule, at: number, since: number): DueAround {
  const from = Math.floor(at / msPerMinute) * msPerMinute;
  const until = from + msPerMinute;
  return {
    at: dueBetween(schedule, Math.max(from - 1, since), until - 1)?.first ?? null,
    before: lastDue(schedule, from - 1, since),
    after: nextDue(schedule, Math.max(until - 1, since)),
  };
}

/** The last due time up to `until`, after `since`; null if there is none within 41 years. */
export function lastDue(schedule: Schedule, until: number, since: number): number | null {
  for (const step of stepsBack) {
    const from = Math.max(until - step, since);
    const due = until <= from ? null : dueBetween(schedule, from, until);
    if (due !== null) return due.last;
    if (from === since) return null;
  }
  return null;
}
