/**
 * What to do about a job that is due (docs/behavior.md#schedule-4): call it if the due time is at most a minute past,
 * else record it as missed. Whether one run makes up for what was missed is decided here, too.
 */

import { scheduleOf, type Schedule, type ScheduleFields } from '../schedule/schedule.ts';
import type { Job } from '../jobs/job.ts';
import { dueBetween, nextDue } from '../schedule/next.ts';
import type { Missed, MissedReason } from './reason.ts';

/** A due time that is longer past is missed. */
export const latestStartMs = 60_000;

/** A held job is called anyway once its due time is this far past: it would be missed otherwise. */
export const longestHeldMs = latestStartMs - 2_000;

/** What tells when a job is due. */
export type DueTimeFields = ScheduleFields & Pick<Job, 'activeRunId' | 'nextRunAt'>;

/**
 * The due time that people see at `now`: the next one to come. The job itself may still have an earlier one, which is
 * called late or missed because a run outlasts it.
 */
export function upcomingDueTime(job: DueTimeFields, now: number): number | null {
  const { activeRunId, nextRunAt } = job;
  const isOutlasted = activeRunId !== null && nextRunAt !== null && nextRunAt <= now;
  return isOutlasted ? nextDue(scheduleOf(job), now) : nextRunAt;
}

export interface DuePlan {
  missed: Missed | null;
  /** The due time to call now; null if there is none. */
  dueAt: number | null;
  /** The due time after that; null if there is none. */
  nextRunAt: number | null;
}

/**
 * Decides about a job whose due time `nextRunAt` is not after `now`. Due times up to `renewedAt`, when its account was
 * renewed, are neither called nor missed. A renewal in the future is ignored: the clock was ahead then.
 */
export function planDue(
  schedule: Schedule,
  nextRunAt: number,
  now: number,
  renewedAt: number | null = null,
): DuePlan {
  if (renewedAt === null || !isBeforeRenewal(nextRunAt, now, renewedAt)) {
    return planFrom(schedule, nextRunAt, now);
  }
  const first = nextDue(schedule, renewedAt);
  return first !== null && first <= now
    ? planFrom(schedule, first, now)
    : { missed: null, dueAt: null, nextRunAt: first };
}

/** Whether a job became due before its account was renewed, so that its schedule counts from then. */
export function isBeforeRenewal(nextRunAt: number, now: number, renewedAt: number): boolean {
  return nextRunAt <= renewedAt && renewedAt <= now;
}

function planFrom(schedule: Schedule, nextRunAt: number, now: number): DuePlan {
  const earliest = now - latestStartMs;
  if (nextRunAt >= earliest) {
    return { missed: null, dueAt: nextRunAt, nextRunAt: nextDue(schedule, nextRunAt) };
  }
  const missed = missedUntil(schedule, nextRunAt, earliest - 1);
  const next = nextDue(schedule, missed.last);
  return next !== null && next <= now
    ? { missed, dueAt: next, nextRunAt: nextDue(schedule, next) }
    : { missed, dueAt: null, nextRunAt: next };
}

/**
 * The plan where a due time at `takenAt`, the first of those that would be missed or called, has its run already, from a clock
 * that was ahead: it is not missed or called again, and what comes after it is planned next.
 */
export function planUpTo(
  schedule: Schedule,
  { missed, ...plan }: DuePlan,
  takenAt: number,
): DuePlan {
  if (missed === null || takenAt === plan.dueAt) return { missed, ...plan, dueAt: null };
  const { first } = missed;
  const nextRunAt = nextDue(schedule, takenAt);
  if (takenAt === first) return { missed: null, dueAt: null, nextRunAt };
  return { missed: missedUntil(schedule, first, takenAt - 1), dueAt: null, nextRunAt };
}

/** What decides whether missed due times are made up for. Times are epoch milliseconds. */
interface MakeUpTerms {
  makeUpSeconds: number | null;
  now: number;
  /** When the run of the job ended that may have delayed the last of them; null if none did. */
  busyUntil: number | null;
}

/**
 * Whether one more run makes up for what a plan misses (docs/behavior.md#makeup-1): if no later due time is called, the last one is
 * not too long past, and the job itself was not at work then.
 */
export function isMadeUp(
  { missed, dueAt }: DuePlan,
  { makeUpSeconds, now, busyUntil }: MakeUpTerms,
): boolean {
  if (missed === null || dueAt !== null || makeUpSeconds === null) return false;
  const isBusy = busyUntil !== null && busyUntil > missed.last;
  return !isBusy && now - missed.last <= makeUpSeconds * 1_000;
}

/** What kept jobd from starting runs for a while. Times are epoch milliseconds. */
export interface Hindrance {
  kind: 'not_running' | 'outage' | 'standstill' | 'clock';
  from: number;
  until: number;
}

/** Why due times may have been missed. Times are epoch milliseconds. */
export interface Circumstances {
  /** When the job's previous run ended, if it had one. */
  busyUntil: number | null;
  /** When jobd was started. */
  servingSince: number;
  /** What the process that found them knows of. */
  hindrances?: readonly Hindrance[];
}

/** The due times from `first`, which is one, up to a moment, as one miss. */
export function missedUntil(schedule: Schedule, first: number, until: number): Missed {
  const more = dueBetween(schedule, first, until);
  return { first, last: more?.last ?? first, count: 1 + (more?.count ?? 0) };
}

/** Why due times were missed, and the time for which something kept jobd from starting runs. */
export interface MissedCause {
  reason: MissedReason;
  from: number | null;
  until: number | null;
}

/** Why due times were missed: what applied to the first of them. */
export function causeOfMissed(
  { first }: Pick<Missed, 'first'>,
  { busyUntil, servingSince, hindrances = [] }: Circumstances,
): MissedCause {
  const latest = first + latestStartMs;
  const whole = hindrances.find(({ from, until }) => from <= first && until >= latest);
  // Also where the previous run seems to have lasted for long: its end was not seen either.
  if (whole !== undefined) return hinderedBy(whole);
  if (busyUntil !== null && busyUntil > first) return { ...noHindrance, reason: 'busy' };
  if (first < servingSince) return { ...noHindrance, reason: 'not_running' };
  const part = hindrances.find(({ from, until }) => from <= latest && until >= first);
  return part === undefined ? { ...noHindrance, reason: 'late' } : hinderedBy(part);
}

const noHindrance = { from: null, until: null };

function hinderedBy({ kind: reason, from, until }: Hindrance): MissedCause {
  return { reason, from, until };
}
