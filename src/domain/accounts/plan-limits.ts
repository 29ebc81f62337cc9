/**
 * What a plan refuses. Limits are checked when something is changed. After a plan became smaller, jobs and monitors go
 * on as they are, except that calls take no longer than the new plan allows.
 */

import { JobdError } from '../errors.ts';
import type { Job } from '../jobs/job.ts';
import { adjustmentsIn } from '../schedule/adjustments.ts';
import { scheduleFields } from '../schedule/fields.ts';
import { sameSchedule, scheduleOf, type ScheduleFields } from '../schedule/schedule.ts';
import type { Monitor } from '../monitors/monitor.ts';
import type { Plan } from './plan.ts';
import { smallestInterval } from '../schedule/interval.ts';

type LimitedJob = ScheduleFields & Pick<Job, 'timeoutSeconds' | 'paused'>;

/**
 * Checks what is new about a job: all of it if `before` is null, else what changed. A resumed schedule counts as new.
 * Throws `forbidden`, naming limit, plan and figure.
 */
export function checkPlanLimits(plan: Plan, job: LimitedJob, before: LimitedJob | null): void {
  if (before?.timeoutSeconds !== job.timeoutSeconds) checkTimeout(plan, job.timeoutSeconds);
  const isResumed = before !== null && before.paused && !job.paused;
  // While a job is due once, nothing is said about its rule.
  const begins = isResumed || (before !== null && isOnce(before) && !isOnce(job));
  if (before === null || begins || !sameSchedule(before, job)) checkInterval(plan, job);
}

function isOnce({ adjustments }: ScheduleFields): boolean {
  return Boolean(adjustmentsIn(adjustments).runAt);
}

/** Checks the same of a monitor: how often its pings are due. */
export function checkMonitorLimits(plan: Plan, monitor: Monitor, before: Monitor | null): void {
  const isResumed = before !== null && before.paused && !monitor.paused;
  if (before !== null && !isResumed && sameSchedule(before, monitor)) return;
  // The anchor does not change how long periods are.
  checkInterval(plan, { ...monitor, anchorAt: monitor.createdAt, adjustments: null });
}

function checkTimeout({ name, maxTimeoutSeconds }: Plan, timeoutSeconds: number): void {
  if (timeoutSeconds <= maxTimeoutSeconds) return;
  throw new JobdError(
    'forbidden',
    `timeoutSeconds must be at most ${maxTimeoutSeconds} on the plan ${name}, got ${timeoutSeconds}`,
  );
}

function checkInterval({ name, minIntervalSeconds }: Plan, fields: ScheduleFields): void {
  // No schedule is due more often than that, and finding out how often one is takes up to 0.1 ms.
  if (minIntervalSeconds <= scheduleFields.periodSeconds.rule.minimum) return;
  const seconds = smallestInterval(scheduleOf(fields));
  if (seconds >= minIntervalSeconds) return;
  throw new JobdError(
    'forbidden',
    fields.scheduleType === 'period'
      ? `periodSeconds must be at least ${minIntervalSeconds} on the plan ${name}, got ${seconds}`
      : `cronExpr must leave at least ${minIntervalSeconds} s between due times on the plan ${name}, got ${seconds} s`,
  );
}

/** Throws `forbidden` if the plan does not allow another job or monitor besides the `used` ones. */
export function checkRoom({ name, jobs }: Plan, used: number): void {
  if (jobs === null || used < jobs) return;
  throw new JobdError(
    'forbidden',
    `the plan ${name} allows ${jobs} jobs and monitors together, the account has ${used}`,
  );
}
