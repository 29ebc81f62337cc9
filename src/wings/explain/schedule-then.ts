/** Which schedule of a job was in force at an instant, and its due times around that. Times are epoch milliseconds. */

import { msPerDay } from '../../domain/clock.ts';
import { dueBetween, nextDue } from '../../domain/schedule/next.ts';
import { scheduleOf, type Schedule, type ScheduleFields } from '../../domain/schedule/schedule.ts';
import type { Job } from '../../domain/jobs/job.ts';
import type { ScheduleSpan } from '../../domain/schedule/span.ts';
import { minuteOf, type AskedTime } from './asked-time.ts';
import type { JobChange } from './facts.ts';

/** What held for a job at an instant. `chained`: it ran after another job. */
export type StateThen = 'scheduled' | 'paused' | 'expired' | 'chained' | 'not_created' | 'unknown';

/** What is known of the schedules of a job. */
export interface Known {
  job: ScheduleFields & Pick<Job, 'createdAt' | 'paused' | 'after'>;
  /** The last one that began up to an instant, and the first one that began later; null if none is kept. */
  schedules: { last: ScheduleSpan | null; next: ScheduleSpan | null };
  /** The newest changes of the job, newest first. */
  changes: readonly JobChange[];
}

/** What is asked about: times are epoch milliseconds. */
export interface Focus {
  asked: AskedTime;
  /** The due time to explain; null if there is none. */
  dueAt: number | null;
  /** Whether that was asked about, rather than a time that is not due. */
  isDue: boolean;
  /** The due times around the time. */
  before: number | null;
  after: number | null;
}

/** What held at `at`, for which the schedules were read. */
export function stateAt({ job, schedules, changes }: Known, at: number): StateThen {
  const { last, next } = schedules;
  if (at < job.createdAt) return 'not_created';
  if (last !== null && (last.untilAt === null || at < last.untilAt)) return 'scheduled';
  // A job that follows none now stopped to by the newest of these changes.
  const later = changes.filter((change) => change.at > at && change.fields.includes('after'));
  if (job.after === null ? later.length === 1 : later.length === 0) return 'chained';
  if (last?.endReason === 'paused' || last?.endReason === 'expired') return last.endReason;
  if (next === null) return job.paused ? 'paused' : 'unknown';
  return changes.some((change) => change.at > at && isPause(change)) ? 'paused' : 'unknown';
}

/** Whether a change paused or resumed the job. */
export function isPause({ action, fields }: JobChange): boolean {
  return action === 'job.pause' || action === 'job.resume' || fields.includes('paused');
}

/** The schedule that was in force, or last before; that of the job if none is kept. */
export function scheduleThen({ job, schedules }: Pick<Known, 'job' | 'schedules'>): ScheduleFields {
  return schedules.last ?? job;
}

/**
 * The due time to explain. For now, it is the newest one; `runDueAt` is that of the newest scheduled run up to the end of the
 * minute, null without one, and may be one of an earlier schedule.
 */
export function focusOn(known: Known, asked: AskedTime, runDueAt: number | null): Focus {
  const { at, form } = asked;
  const none = { asked, dueAt: null, isDue: false, before: null, after: null };
  if (stateAt(known, at) === 'chained') return none;
  const schedule = scheduleOf(scheduleThen(known));
  const since = known.schedules.last?.fromAt ?? known.job.createdAt;
  const from = minuteOf(at);
  const until = form === 'now' ? at : from + 59_999;
  const after = nextDue(schedule, Math.max(until, since));
  if (form === 'now') {
    const newest = lastDue(schedule, until, since) ?? runDueAt;
    return { ...none, dueAt: newest, isDue: newest !== null, after };
  }
  const ran = runDueAt !== null && runDueAt >= from ? runDueAt : null;
  const due = dueBetween(schedule, Math.max(from - 1, since), until)?.first ?? ran;
  const before = lastDue(schedule, from - 1, since);
  return { asked, dueAt: due ?? before, isDue: due !== null, before, after };
}

/** How far back a due time is searched for, step by step: most schedules are due often, and looking at years costs time. */
const stepsBack = [2, 62, 800, 41 * 366].map((days) => days * msPerDay);

/** The last due time up to `until`, after `since`; null if there is none within 41 years. */
function lastDue(schedule: Schedule, until: number, since: number): number | null {
  for (const step of stepsBack) {
    const from = Math.max(until - step, since);
    const due = until <= from ? null : dueBetween(schedule, from, until);
    if (due !== null) return due.last;
    if (from === since) return null;
  }
  return null;
}

/** Whether a window held a due time. */
export function wasHeld(schedules: Known['schedules'], dueAt: number): boolean {
  const heldUntil = schedules.last?.heldUntil ?? -Infinity;
  return dueAt <= heldUntil || endedBefore(schedules, dueAt)?.reason === 'held';
}

/** The end of a schedule before a due time of it could be called; null if it was in force. */
export function endedBefore({ last }: Known['schedules'], dueAt: number) {
  if (last === null || last.untilAt === null || last.endReason === null) return null;
  const isLeft = dueAt > last.untilAt || dueAt >= (last.nextDueAt ?? last.untilAt);
  return isLeft ? { reason: last.endReason, at: last.untilAt } : null;
}
