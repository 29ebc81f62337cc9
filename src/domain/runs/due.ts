/**
 * What to do about a job that is due (docs/behavior.md#schedule-4): call it if the due time is at most a minute past,
 * else record it as missed. Whether one run makes up for what was missed is decided here, too.
 */

import { scheduleOf, type Schedule, type ScheduleFields } from '../schedule/schedule.ts';
import type { Job } from '../jobs/job.ts';
import { dueBetween, nextDue, type DueTimes } from '../schedule/next.ts';
import { coveredUntil, periodAfter, type Window } from '../windows.ts';
import type { Missed, MissedReason } from './reason.ts';

/** A due time that is longer past is missed. */
export const latestStartMs = 60_000;

/** A held job is called anyway once its due time is this far past: it would be missed otherwise. */
export const longestHeldMs = latestStartMs - 2_000;

/** What tells when a job is due. */
export type DueTimeFields = ScheduleFields & Pick<Job, 'activeRunId' | 'nextRunAt'>;

/**
 * The due time that people see at `now`: the next one to come. The job itself may still have an earlier one, which is
 * called late or missed because a run outlasts it, or one that the windows hold which are about the job (docs/behavior.md#hold-1).
 */
export function upcomingDueTime(
  job: DueTimeFields,
  now: number,
  holds: readonly Window[] = [],
): number | null {
  const { activeRunId, nextRunAt } = job;
  const isOutlasted = activeRunId !== null && nextRunAt !== null && nextRunAt <= now;
  const next = isOutlasted ? nextDue(scheduleOf(job), now) : nextRunAt;
  return holds.length === 0 ? next : afterHolds(scheduleOf(job), next, holds);
}

/** Holds one after the other, each of which has the next due time, that are looked at, and how often windows are looked at for all. */
const mostHolds = 10;
const mostLooks = 400;

/** The first due time from `first` on that no window holds; null if there is none, or after so much was looked at. */
function afterHolds(
  schedule: Schedule,
  first: number | null,
  holds: readonly Window[],
): number | null {
  let next = first;
  const spent = { looks: 0 };
  for (let turn = 0; next !== null; turn += 1) {
    const until = coveredUntil(holdsOf(schedule, holds), next, spent);
    if (until === null) return next;
    next = turn === mostHolds || spent.looks > mostLooks ? null : nextDue(schedule, until - 1);
  }
  return next;
}

/** Those of the windows about a job that hold it: none does a one-time job, whose only due time would be lost. */
export function holdsOf(schedule: Schedule, windows: readonly Window[]): readonly Window[] {
  return schedule.scheduleType === 'once' ? [] : windows;
}

export interface DuePlan {
  missed: Missed | null;
  /** The due time to call now; null if there is none. */
  dueAt: number | null;
  /** The due time after that; null if there is none. It may have passed: then it is decided on next. */
  nextRunAt: number | null;
  /** Due times in a hold, which are neither called nor missed: then nothing else is decided on. */
  held?: DueTimes;
}

/**
 * Decides about a job whose due time `nextRunAt` is not after `now`. Due times up to `since`, when its account was renewed or its
 * schedule began, are neither called nor missed. If that is in the future it is ignored: the clock was ahead then. `holds` are
 * those of the job (`holdsOf`). What is missed for a downtime is kept apart from what was missed while jobd ran before it.
 */
export function planDue(
  schedule: Schedule,
  nextRunAt: number,
  now: number,
  since: number | null = null,
  holds: readonly Window[] = [],
  hindrances: readonly Hindrance[] = [],
): DuePlan {
  const isLater = since !== null && countsLater(nextRunAt, now, since);
  const first = isLater ? nextDue(schedule, since) : nextRunAt;
  const later = { missed: null, dueAt: null, nextRunAt: first };
  if (first === null || first > now) return later;
  const heldUntil = coveredUntil(holds, first);
  if (heldUntil === null) return planFrom(schedule, first, now, holds, hindrances);
  // This is kept by itself, and then the hold.
  if (isLater) return later;
  const held = dueTimesFrom(schedule, first, Math.min(now, heldUntil - 1));
  return { missed: null, dueAt: null, nextRunAt: nextDue(schedule, held.last), held };
}

/** Whether a job became due before its due times count (`planDue`). */
export function countsLater(nextRunAt: number, now: number, since: number): boolean {
  return nextRunAt <= since && since <= now;
}

function planFrom(
  schedule: Schedule,
  nextRunAt: number,
  now: number,
  holds: readonly Window[],
  hindrances: readonly Hindrance[],
): DuePlan {
  const earliest = now - latestStartMs;
  // What was due before a hold is missed separately from what follows it (docs/behavior.md#hold-1).
  const away = (downtimeIn(hindrances, now)?.from ?? -Infinity) - latestStartMs;
  const end = Math.min(earliest, nextHold(holds, nextRunAt), away > nextRunAt ? away : Infinity);
  const missed = nextRunAt < earliest ? dueTimesFrom(schedule, nextRunAt, end - 1) : null;
  const next = missed === null ? nextRunAt : nextDue(schedule, missed.last);
  const isCalled =
    next !== null && next >= earliest && next <= now && coveredUntil(holds, next) === null;
  return isCalled
    ? { missed, dueAt: next, nextRunAt: nextDue(schedule, next) }
    : { missed, dueAt: null, nextRunAt: next };
}

/** When the next of these windows begins; infinite if none does. */
export function nextHold(holds: readonly Window[], after: number): number {
  return Math.min(...holds.map((one) => periodAfter(one, after)?.from ?? Infinity));
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
  return { missed: dueTimesFrom(schedule, first, takenAt - 1), dueAt: null, nextRunAt };
}

/** What decides whether missed due times are made up for. Times are epoch milliseconds. */
interface MakeUpTerms {
  makeUpSeconds: number | null;
  now: number;
  /** When the run of the job ended that may have delayed the last of them; null if none did. */
  busyUntil: number | null;
  /** Those of the job (`holdsOf`). */
  holds?: readonly Window[];
}

/**
 * Whether one more run makes up for what a plan misses (docs/behavior.md#makeup-1): if no later due time has come, the last one is
 * not too long past, the job itself was not at work then, and it is not held now.
 */
export function isMadeUp(
  { missed, dueAt, nextRunAt }: DuePlan,
  { makeUpSeconds, now, busyUntil, holds = [] }: MakeUpTerms,
): boolean {
  if (missed === null || dueAt !== null || makeUpSeconds === null) return false;
  if ((nextRunAt ?? Infinity) <= now || coveredUntil(holds, now) !== null) return false;
  const isBusy = busyUntil !== null && busyUntil > missed.last;
  return !isBusy && now - missed.last <= makeUpSeconds * 1_000;
}

/** What kept jobd from starting runs for a while. Times are epoch milliseconds. */
export interface Hindrance {
  reason: 'not_running' | 'outage' | 'standstill' | 'clock' | 'slots';
  from: number;
  until: number;
}

/** Why due times may have been missed. Times are epoch milliseconds. */
export interface Circumstances {
  /** When the job's previous run ended, if it had one. */
  busyUntil: number | null;
  /** When jobd was started. */
  servingSince: number;
  /** What is later was noticed by a clock that was ahead, and is not believed. */
  now: number;
  /** What the process that found them knows of. */
  hindrances?: readonly Hindrance[];
}

/** The due times from `first`, which is one, up to a moment. */
export function dueTimesFrom(schedule: Schedule, first: number, until: number): DueTimes {
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
  { busyUntil, servingSince, now, hindrances = [] }: Circumstances,
): MissedCause {
  const latest = first + latestStartMs;
  const believed = hindrances.filter(({ until }) => until <= now);
  const whole = believed.find(
    ({ reason, from, until }) => reason !== 'slots' && from <= first && until >= latest,
  );
  // Also where the previous run seems to have lasted for long: its end was not seen either.
  if (whole !== undefined) return whole;
  if (busyUntil !== null && busyUntil > first) return { ...noHindrance, reason: 'busy' };
  const part = believed.find(({ from, until }) => from <= latest && until >= first);
  if (part !== undefined) return part;
  // Where it is known when jobd stopped, it ran at a due time before that.
  const isAway = first < servingSince && servingSince <= now && !downtimeIn(believed, now);
  return { ...noHindrance, reason: isAway ? 'not_running' : 'late' };
}

function downtimeIn(hindrances: readonly Hindrance[], now: number): Hindrance | undefined {
  return hindrances.find(({ reason, until }) => reason === 'not_running' && until <= now);
}

const noHindrance = { from: null, until: null };
