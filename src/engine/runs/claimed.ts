/** A run between its claim and its record. */

import type { JobRequest } from '../../domain/jobs/job.ts';
import { plans } from '../../domain/accounts/plan.ts';
import type { RequestSecrets } from '../../domain/secrets/sealed-job.ts';
import type { ClaimBounds } from '../../store/runs/claims.ts';
import type { Terms } from '../../store/accounts/expiry.ts';
import type { DueJob } from '../../store/jobs/jobs.ts';
import type { EndedRun } from '../../store/runs/results.ts';

/** A run that was claimed and is to be dispatched. Times are epoch milliseconds. */
export interface ClaimedRun {
  runId: string;
  jobId: string;
  workspaceId: string;
  host: string;
  scheduledFor: number;
  startedAt: number;
  /** Failures of the job in a row before this run: no other run of it ends meanwhile. */
  failures: number;
  /** What to send, as far as it is not sealed; it is opened when it is dispatched. */
  request: Omit<JobRequest, keyof RequestSecrets>;
  sealed: string | null;
}

/** What one claim brought. */
export interface Claim {
  runs: ClaimedRun[];
  /** Jobs of which due times were missed. */
  missed: number;
  /** Accounts whose schedules stop, as they have expired. */
  expired: number;
  /** Whether there may be more to claim at once. */
  more: boolean;
}

/** The room that one claim has. */
export interface Room {
  /** How much to look for now. */
  bounds(): ClaimBounds;
  /** Takes a slot for a call to a host; false if there is none. */
  take(host: string): boolean;
}

/**
 * What is needed of a job to call it, as plain data. The call takes no longer than the plan allows by now, which may have
 * become smaller since the job was made.
 */
export function claimedRun(
  run: { runId: string; job: DueJob; host: string; scheduledFor: number; startedAt: number },
  terms: Terms | undefined,
): ClaimedRun {
  const { url, method, retries, sealed } = run.job;
  const { maxTimeoutSeconds } = plans[terms?.plan ?? 'free'];
  const timeoutSeconds = Math.min(run.job.timeoutSeconds, maxTimeoutSeconds);
  return {
    runId: run.runId,
    jobId: run.job.id,
    workspaceId: run.job.workspaceId,
    host: run.host,
    scheduledFor: run.scheduledFor,
    startedAt: run.startedAt,
    failures: run.job.failures,
    request: { url, method, timeoutSeconds, retries },
    sealed,
  };
}

/** A run that is closed without an outcome; `why` is a clause for people. */
export function interruptedRun(
  run: { runId: string; jobId: string },
  { why, attempts, finishedAt }: { why: string; attempts: number; finishedAt: number },
): EndedRun {
  return {
    runId: run.runId,
    jobId: run.jobId,
    status: 'interrupted',
    finishedAt,
    durationMs: null,
    attempts,
    httpStatus: null,
    responseBody: null,
    truncated: false,
    error: `interrupted: ${why}`,
  };
}
