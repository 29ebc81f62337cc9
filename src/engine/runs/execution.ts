/** An execution: one run on its way from claim over dispatch to record. */

import type { Health, JobRequest } from '../../domain/jobs/job.ts';
import { plans } from '../../domain/accounts/plan.ts';
import { beginsWait } from '../../domain/runs/report.ts';
import type { InterruptedReason } from '../../domain/runs/reason.ts';
import type { RequestSecrets } from '../../domain/secrets/vault.ts';
import type { ClaimableJob } from '../../store/runs/claims.ts';
import type { Terms } from '../../store/accounts/expiry.ts';
import type { BegunRun, EndedRun } from '../../store/runs/ended.ts';

/** A claimed run, ready for dispatch. Times are epoch milliseconds. */
export interface Execution extends BegunRun {
  jobName: string;
  /** The workspace in the log; null while it is the only one. */
  workspace: string | null;
  host: string;
  /** The due time that it stands for, which its calls name (docs/behavior.md#call-8). */
  dueAt: number;
  /** The health of the job before this run, and its consecutive failures. No other run of the job can change them meanwhile. */
  health: Health;
  failures: number;
  /** Whether its end starts something: a callback, or jobs that run after its job. */
  isFollowed: boolean;
  /** The request without its sealed parts, which dispatch opens. */
  request: Omit<JobRequest, keyof RequestSecrets>;
  sealed: string | null;
}

/** An execution whose call is over, ready to be recorded. */
export interface EndedExecution {
  claimed: Execution;
  ended: EndedRun;
  /** The id of the trace that its calls named; left out if they named none, or one of the job's own. */
  traceId?: string;
}

/** The execution of a claimed run. The plan of now caps its timeout: it may be smaller than when the job was made. */
export function executionOf(
  { job, host, isFollowed }: ClaimableJob,
  run: Pick<Execution, 'runId' | 'scheduledFor' | 'dueAt' | 'startedAt'>,
  terms: Terms | undefined,
): Execution {
  const { id: jobId, name: jobName, workspaceId, health, failures, sealed } = job;
  const { url, method, retries, reportWithinSeconds, sign, audience } = job;
  const workspace = terms?.workspace ?? null;
  const { maxTimeoutSeconds } = plans[terms?.plan ?? 'free'];
  const timeoutSeconds = Math.min(job.timeoutSeconds, maxTimeoutSeconds);
  const request = { url, method, timeoutSeconds, retries, reportWithinSeconds, sign, audience };
  const names = { jobId, jobName, workspaceId, workspace, host };
  return { ...run, ...names, health, failures, isFollowed, request, sealed };
}

/** Whether the run goes on after its call: its target answered 202 and reports later. */
export function isWaiting({ claimed, ended }: Pick<EndedExecution, 'claimed' | 'ended'>): boolean {
  return beginsWait(claimed.request.reportWithinSeconds, ended);
}

/** Which run a line of the log is about. */
export function runNames({
  workspace,
  jobName,
  jobId,
  runId,
}: Pick<Execution, 'workspace' | 'jobName' | 'jobId' | 'runId'>) {
  return { ...(workspace !== null && { workspace }), job: jobName, jobId, runId };
}

/** Why a run is closed without an outcome; `detail` is a clause for people. */
export interface Interruption {
  reason: InterruptedReason;
  detail: string;
}

/** What its claim knows of a run. */
export function begunRun({
  runId,
  jobId,
  workspaceId,
  scheduledFor,
  startedAt,
}: BegunRun): BegunRun {
  return { runId, jobId, workspaceId, scheduledFor, startedAt };
}

/** An execution without its outcome, which the store refuses to keep. */
export function unkept({ claimed, ended }: EndedExecution): EndedExecution {
  const detail = 'the database refused to keep its outcome, see the log of jobd';
  const why = { reason: 'cut_off', detail } as const;
  return { claimed, ended: interruptedRun(claimed, { ...ended, why }) };
}

/** A run that is closed without an outcome. */
export function interruptedRun(
  run: BegunRun,
  { why, attempts, finishedAt }: { why: Interruption; attempts: number; finishedAt: number },
): EndedRun {
  return {
    ...begunRun(run),
    status: 'interrupted',
    finishedAt,
    durationMs: null,
    attempts,
    httpStatus: null,
    responseBody: null,
    truncated: false,
    ...why,
  };
}
