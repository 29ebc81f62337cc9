/** Runs as they begin and end, with defaults for fields that a test does not set. */

import { newId } from '../../../src/domain/id.ts';
import { queuedRun as newQueuedRun, type Run } from '../../../src/domain/runs/run.ts';
import { updateClaimedJobs } from '../../../src/store/runs/claims.ts';
import type { ClaimedJob, MissedRun, StartingRun } from '../../../src/store/runs/claims.ts';
import type { Db } from '../../../src/store/database/store.ts';
import type { BegunRun, EndedRun } from '../../../src/store/runs/ended.ts';

/** A manual run at `now` (epoch milliseconds). */
export function queuedRun(jobId: string, now: number): Run {
  return newQueuedRun(newId(now), jobId, now);
}

/** A run of the due time `dueAt` (epoch milliseconds) that starts right then. */
export function startingRun(jobId: string, dueAt: number): StartingRun {
  return { id: newId(dueAt), jobId, scheduledFor: dueAt, startedAt: dueAt };
}

/** What the claim of a run changes of its job, which is not due again; `changes` are the fields of interest. */
export function claimOf(run: StartingRun, changes: Partial<ClaimedJob> = {}): ClaimedJob {
  const { id: activeRunId, jobId, scheduledFor, startedAt } = run;
  return {
    id: jobId,
    nextRunAt: null,
    claimedUpTo: scheduledFor,
    activeRunId,
    activeFor: scheduledFor,
    startedAt,
    nodeId: null,
    missed: 0,
    ...changes,
  };
}

/** Begins runs, each of another job, as a claim does. */
export async function beginRuns(db: Db, ...runs: readonly StartingRun[]): Promise<void> {
  await updateClaimedJobs(
    db,
    runs.map((run) => claimOf(run)),
  );
}

/** A run of the due time `dueAt` (epoch milliseconds) that was not called. */
export function missedRun(jobId: string, dueAt: number): MissedRun {
  const missed = { first: dueAt, last: dueAt, count: 1, from: null, until: null };
  return { id: newId(dueAt), jobId, scheduledFor: dueAt, reason: 'not_running', missed };
}

/** What a test knows of a run under way. */
type Begun = Pick<BegunRun, 'runId' | 'jobId'> & Partial<BegunRun>;

/** The result of a run that ended in this state; `changes` are the fields of interest. */
export function endedRun(
  { runId, jobId, workspaceId = 'w', scheduledFor = 1, startedAt = scheduledFor }: Begun,
  status: EndedRun['status'],
  changes: Partial<EndedRun> = {},
): EndedRun {
  const reasons = { success: null, failed: 'http', interrupted: 'cut_off' } as const;
  const known = status !== 'interrupted';
  return {
    runId,
    jobId,
    workspaceId,
    scheduledFor,
    startedAt,
    status,
    finishedAt: startedAt + 1,
    durationMs: known ? 1 : null,
    attempts: 1,
    httpStatus: known ? (status === 'success' ? 200 : 500) : null,
    responseBody: known ? 'ok' : null,
    truncated: false,
    reason: reasons[status],
    detail: status === 'interrupted' ? 'by the test' : null,
    ...changes,
  };
}
