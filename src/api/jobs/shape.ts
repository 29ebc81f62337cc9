/** Jobs as the API returns them. */

import { coveredShape } from '../../app/accounts/windows.ts';
import type { KeptJob } from '../../app/jobs/keep-job.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { shownValues } from '../../domain/fields.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import type { ListedJob } from '../../domain/jobs/listed-job.ts';
import { jobStatus, type Job } from '../../domain/jobs/job.ts';
import type { Covered } from '../../domain/windows.ts';
import type * as contract from './contract.ts';

/** What lists show of a job too: what people set of it, as far as it was read, and how it is doing. */
export function listedShape<Listed extends ListedJob | Job>(job: Listed & Covered) {
  return {
    id: job.id,
    ...shownValues(jobFields, job),
    status: jobStatus(job),
    nextRunAt: isoTimeOrNull(job.nextRunAt),
    lastRunAt: isoTimeOrNull(job.lastRunAt),
    lastDurationMs: job.lastDurationMs,
    downReason: job.downReason,
    ...coveredShape(job),
  };
}

/** A job without its header values. */
export function jobShape(job: Job & Covered): contract.Job {
  const headerNames = Object.keys(job.headers);
  return { ...listedShape(job), headerNames, createdAt: isoTime(job.createdAt) };
}

/** A job that was kept, with the secret that was made for it. */
export function keptJobShape({ madeSecret, ...job }: KeptJob): contract.JobKept {
  return { job: jobShape(job), ...(madeSecret !== undefined && { onResultSecret: madeSecret }) };
}
