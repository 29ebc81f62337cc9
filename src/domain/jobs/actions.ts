/** What people do with many jobs at once: pause, resume, run or delete them. */

import { actions, type Action } from '../fields.ts';
import { firstDue, nextDue } from '../schedule/next.ts';
import { anchorOf } from '../schedule/schedule-input.ts';
import { scheduleOf, type ScheduleFields } from '../schedule/schedule.ts';
import { isOnSchedule } from './after.ts';
import type { Job } from './job.ts';

export const jobActions = [...actions, 'run', 'delete'] as const;
export type JobAction = (typeof jobActions)[number];

/** Jobs of one request. */
export const mostActedJobs = 100;

/** What an action needs of a job. */
export type ActedJob = ScheduleFields &
  Pick<Job, 'id' | 'name' | 'timeoutSeconds' | 'paused' | 'after' | 'activeRunId' | 'nextRunAt'>;

/** Whether a job is over at `now`: it is not due any more, or would not be if it were resumed (docs/behavior.md#once-8). */
export function isOver(
  job: ScheduleFields & Pick<Job, 'paused' | 'after' | 'nextRunAt'>,
  now: number,
): boolean {
  const { after, paused, nextRunAt } = job;
  if (after !== null || (!paused && nextRunAt !== null)) return false;
  return nextDue(scheduleOf(paused ? { ...job, anchorAt: anchorOf(now) } : job), now) === null;
}

/**
 * A job after it was paused or resumed; the job itself if it was already, and if it is over: a pause of it could not be
 * ended. A resumed schedule counts from `now` (epoch milliseconds). Throws `invalid_input` if it is never due.
 */
export function afterAction(job: ActedJob, action: Action, now: number): ActedJob {
  const paused = action === 'pause';
  if (paused === job.paused || (paused && isOver(job, now))) return job;
  const after = { ...job, paused };
  if (!isOnSchedule(after)) return { ...after, nextRunAt: null };
  return { ...job, paused, ...countedFrom(now, job) };
}

/** People call a job at most once in this time (docs/behavior.md#run-6). */
export const manualIntervalMs = 60_000;

/** Where a schedule that counts from `now` begins. Throws `invalid_input` if it is never due. */
export function countedFrom(
  now: number,
  schedule: ScheduleFields,
): Pick<Job, 'anchorAt' | 'nextRunAt'> {
  const anchorAt = anchorOf(now);
  const counted = scheduleOf({ ...schedule, anchorAt });
  return { anchorAt, nextRunAt: firstDue(counted, now) };
}
