/**
 * What a plan refuses. Limits are looked at when something is changed: what was allowed before a plan
 * became smaller goes on as it is, except that calls take the timeout that the plan allows by then.
 */

import { JobdError } from '../errors.ts';
import { sameSchedule, scheduleOf } from '../jobs/job.ts';
import type { Job, ScheduleFields } from '../jobs/job.ts';
import type { Monitor } from '../monitors/monitor.ts';
import type { Plan } from './plan.ts';
import { smallestInterval } from '../schedule/interval.ts';

/**
 * Demands that a job, new (`before` is null) or changed, keeps to the plan in what is new about it. A
 * resumed schedule counts as new. Throws `forbidden`, naming limit, plan and figure.
 */
export function checkPlanLimits(plan: Plan, job: Job, before: Job | null): void {
  if (before?.timeoutSeconds !== job.timeoutSeconds) checkTimeout(plan, job.timeoutSeconds);
  const isResumed = before !== null && before.paused && !job.paused;
  if (before === null || isResumed || !sameSchedule(before, job)) checkInterval(plan, job);
}

/** Demands the same of a monitor: its pings may be due no more often than the plan allows. */
export function checkMonitorLimits(plan: Plan, monitor: Monitor, before: Monitor | null): void {
  const isResumed = before !== null && before.paused && !monitor.paused;
  if (before !== null && !isResumed && sameSchedule(before, monitor)) return;
  // Where its periods are counted from changes nothing about how long they are.
  checkInterval(plan, { ...monitor, anchorAt: monitor.createdAt });
}

function checkTimeout({ name, maxTimeoutSeconds }: Plan, timeoutSeconds: number): void {
  if (timeoutSeconds <= maxTimeoutSeconds) return;
  throw new JobdError(
    'forbidden',
    `timeoutSeconds must be at most ${maxTimeoutSeconds} on the plan ${name}, got ${timeoutSeconds}`,
  );
}

/** Demands that a schedule is due no more often than the plan allows. Throws `forbidden`. */
function checkInterval({ name, minIntervalSeconds }: Plan, fields: ScheduleFields): void {
  const seconds = smallestInterval(scheduleOf(fields));
  if (seconds >= minIntervalSeconds) return;
  throw new JobdError(
    'forbidden',
    fields.scheduleType === 'period'
      ? `periodSeconds must be at least ${minIntervalSeconds} on the plan ${name}, got ${seconds}`
      : `cronExpr must leave at least ${minIntervalSeconds} s between due times on the plan ${name}, got ${seconds} s`,
  );
}

/**
 * Demands that there is room for one more job or monitor, where `used` of them are there. Throws
 * `forbidden`.
 */
export function checkRoom({ name, jobs }: Plan, used: number): void {
  if (jobs === null || used < jobs) return;
  throw new JobdError(
    'forbidden',
    `the plan ${name} allows ${jobs} jobs and monitors together, the account has ${used}`,
  );
}
