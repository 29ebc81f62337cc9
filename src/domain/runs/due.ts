/**
 * What to do about a job that is due (docs/behavior.md#schedule-4): call it if the due time is at most
 * a minute past, else account for it as missed. There is no catching up.
 */

import { isoTime } from '../clock.ts';
import { scheduleOf } from '../jobs/job.ts';
import type { Job } from '../jobs/job.ts';
import { dueBetween, nextDue } from '../schedule/next.ts';
import type { Schedule } from '../schedule/schedule.ts';

/** A due time this far past is still called; beyond it, it is missed. */
export const latestStartMs = 60_000;

/** A job that somebody holds is called all the same once its due time is this far past: it would be missed else. */
export const longestHeldMs = latestStartMs - 2_000;

/**
 * The due time that people see at `now`. While a run outlasts the one that its job waits for, and which is called late
 * or missed, that is the next one to come.
 */
export function upcomingDueTime(job: Job, now: number): number | null {
  const { activeRunId, nextRunAt } = job;
  const isOutlasted = activeRunId !== null && nextRunAt !== null && nextRunAt <= now;
  return isOutlasted ? nextDue(scheduleOf(job), now) : nextRunAt;
}

/** Due times that were not called, of one outage of one job. Times are epoch milliseconds. */
export interface Missed {
  first: number;
  last: number;
  count: number;
}

export interface DuePlan {
  missed: Missed | null;
  /** The due time to call now, if there is one. */
  dueAt: number | null;
  /** The due time to wait for after that. */
  nextRunAt: number | null;
}

/**
 * Decides about a job whose due time `nextRunAt` is not after `now`. One from before its account was paid for again, at
 * `renewedAt`, is neither called nor missed; a renewal by a clock that was ahead does not count.
 */
export function planDue(
  schedule: Schedule,
  nextRunAt: number,
  now: number,
  renewedAt: number | null = null,
): DuePlan {
  if (renewedAt === null || nextRunAt > renewedAt || renewedAt > now) {
    return planFrom(schedule, nextRunAt, now);
  }
  const first = nextDue(schedule, renewedAt);
  return first !== null && first <= now
    ? planFrom(schedule, first, now)
    : { missed: null, dueAt: null, nextRunAt: first };
}

function planFrom(schedule: Schedule, nextRunAt: number, now: number): DuePlan {
  const earliest = now - latestStartMs;
  if (nextRunAt >= earliest) {
    return { missed: null, dueAt: nextRunAt, nextRunAt: nextDue(schedule, nextRunAt) };
  }
  const more = dueBetween(schedule, nextRunAt, earliest - 1);
  const missed = {
    first: nextRunAt,
    last: more?.last ?? nextRunAt,
    count: 1 + (more?.count ?? 0),
  };
  const next = nextDue(schedule, missed.last);
  return next !== null && next <= now
    ? { missed, dueAt: next, nextRunAt: nextDue(schedule, next) }
    : { missed, dueAt: null, nextRunAt: next };
}

/** What may explain why due times were missed. Times are epoch milliseconds. */
export interface Circumstances {
  /** When the job's previous run ended, if it had one. */
  busyUntil: number | null;
  /** When jobd was started. */
  servingSince: number;
}

/** The `error` of a missed run. */
export function missedText(missed: Missed, circumstances: Circumstances): string {
  const { first, last, count } = missed;
  const times =
    count === 1
      ? `1 due time, ${isoTime(first)}`
      : `${count} due times from ${isoTime(first)} to ${isoTime(last)}`;
  return `missed: ${times}: ${reason(first, circumstances)}`;
}

function reason(first: number, { busyUntil, servingSince }: Circumstances): string {
  if (busyUntil !== null && busyUntil > first) return 'the previous run was still executing';
  if (first < servingSince) return 'jobd was not running';
  return 'jobd could not start it within a minute: too much to call, a store that failed, a machine asleep, or a clock that was set';
}
