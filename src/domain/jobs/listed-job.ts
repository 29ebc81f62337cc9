/** Jobs in lists: what a list shows of them, how it is filtered and how it is ordered. */

import type { ScheduleFields } from '../schedule/schedule.ts';
import type { Job } from './job.ts';

/**
 * What a list selects by. The first four are the states of a job, of which each job has one: a job that runs stays in it.
 * `running` is any job with a run under way, `missed` any that has missed a due time in the last 24 hours, `held` any that a
 * window holds now.
 */
export const jobFilters = ['down', 'new', 'up', 'paused', 'running', 'missed', 'held'] as const;
export type JobFilter = (typeof jobFilters)[number];
export type JobState = Exclude<JobFilter, 'running' | 'missed' | 'held'>;

export const jobOrders = ['newest', 'due', 'name'] as const;
export type JobOrder = (typeof jobOrders)[number];

/** What a list shows of a job. What is sealed is not read, so that nothing has to be opened. */
export interface ListedJob
  extends
    ScheduleFields,
    Pick<
      Job,
      | 'id'
      | 'name'
      | 'url'
      | 'method'
      | 'runAt'
      | 'paused'
      | 'after'
      | 'labels'
      | 'health'
      | 'failures'
      | 'activeRunId'
      | 'nextRunAt'
      | 'lastRunAt'
      | 'lastDurationMs'
      | 'downReason'
    > {
  /** When the first of its consecutive failures ended, in epoch milliseconds; null if there is none. */
  failingSince: number | null;
  /** The name of the job that it runs after; null if there is none, or it is gone. */
  afterName: string | null;
  /** Its key in definitions; null for a job made by hand. */
  key: string | null;
}
