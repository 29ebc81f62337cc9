/** Jobs as the API returns them. */

import type { KeptJob } from '../../app/jobs/keep-job.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { jobStatus } from '../../domain/jobs/job.ts';
import type { Job } from '../../domain/jobs/job.ts';
import type * as contract from './contract.ts';

/** A job without its header values. */
export function jobShape(job: Job): contract.Job {
  return {
    id: job.id,
    name: job.name,
    url: job.url,
    method: job.method,
    headerNames: Object.keys(job.headers),
    body: job.body,
    scheduleType: job.scheduleType,
    cronExpr: job.cronExpr,
    timezone: job.timezone,
    periodSeconds: job.periodSeconds,
    timeoutSeconds: job.timeoutSeconds,
    retries: job.retries,
    notes: job.notes,
    paused: job.paused,
    status: jobStatus(job),
    nextRunAt: isoTimeOrNull(job.nextRunAt),
    lastRunAt: isoTimeOrNull(job.lastRunAt),
    lastDurationMs: job.lastDurationMs,
    downReason: job.downReason,
    createdAt: isoTime(job.createdAt),
    ...(job.awaitSeconds !== null && { awaitSeconds: job.awaitSeconds }),
    ...(job.after !== null && { after: job.after }),
    ...(job.onResult !== null && { onResult: job.onResult }),
    // Extensions: a job that does not use them is that of the specification.
    ...(job.sign !== null && { sign: job.sign }),
    ...(job.audience !== null && { audience: job.audience }),
  };
}

/** A job that was kept, with the secret that was made for it. */
export function keptJobShape({ madeSecret, ...job }: KeptJob): contract.JobKept {
  return { job: jobShape(job), ...(madeSecret !== undefined && { onResultSecret: madeSecret }) };
}
