/** What the engine writes when runs end: the run and its job's health, in batches. */

import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { CompletionOutcome } from '../../domain/runs/completion.ts';
import { errorOf } from '../../domain/runs/reason.ts';
import type { RunReason } from '../../domain/runs/reason.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import { idList, locksRows } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { isFollowed } from '../jobs/chains.ts';
import { holdRuns } from './held.ts';
import { isOpen } from './runs.ts';
import { statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';
import { workspaceLabel } from '../database/workspace-label.ts';

/** A run that ended. Times are epoch milliseconds. */
export interface EndedRun {
  runId: string;
  jobId: string;
  status: Extract<RunStatus, 'success' | 'failed' | 'interrupted'>;
  /** When the outcome was known, or the run was closed without one. */
  finishedAt: number;
  /** Null if it was interrupted. */
  durationMs: number | null;
  attempts: number;
  httpStatus: number | null;
  responseBody: string | null;
  truncated: boolean;
  reason: RunReason | null;
  detail: string | null;
}

const endRun = statementForEach((db: Db, of: Parameters<EndedRow>) =>
  runningRun(db, of('runId'))
    .set({
      status: of('status'),
      finished_at: of('finishedAt'),
      attempts: of('attempts'),
      http_status: of('httpStatus'),
      duration_ms: of('durationMs'),
      response_body: of.bytes('responseBody'),
      truncated: of('truncated'),
      reason: of('reason'),
      detail: of('detail'),
      receipt_due: of('receiptDue'),
    })
    .compile(),
);

function runningRun(db: Db, id: RawBuilder<string>) {
  return db
    .updateTable('runs')
    .where('id', '=', id)
    .where('status', '=', sql.lit<'running'>('running'));
}

/** A run that ended, as it is written. */
interface EndedRow extends Omit<EndedRun, 'truncated'> {
  truncated: number;
  receiptDue: number;
}

/**
 * Records ended runs, and what they change of their jobs. A run that is no longer `running` is left as it is, so that
 * recording a batch twice changes nothing. With `receipts`, runs that got an answer are marked for signing. Returns
 * the ids of the runs that were recorded now.
 */
export async function recordEndedRuns(
  db: Db,
  runs: readonly EndedRun[],
  { receipts }: { receipts: boolean } = { receipts: false },
): Promise<Set<string>> {
  const rows = runs.map((run) => rowOf(run, receipts));
  const isRecorded = await endRun(db, rows);
  const recorded = rows.filter((_, index) => isRecorded[index]);
  await updateJobsOf(db, recorded);
  return new Set(recorded.map(({ runId }) => runId));
}

/** Texts are made well-formed: half a surrogate pair would come back from the database as three characters. */
function rowOf(run: EndedRun, receipts: boolean): EndedRow {
  return {
    ...run,
    responseBody: run.responseBody && run.responseBody.toWellFormed(),
    truncated: Number(run.truncated),
    detail: run.detail && run.detail.toWellFormed(),
    receiptDue: Number(receipts && run.status !== 'interrupted' && run.httpStatus !== null),
  };
}

/** A further attempt of a run under way; `attempts` counts it. */
export interface Attempt {
  runId: string;
  attempts: number;
}

const keepAttempt = statementForEach((db: Db, of: Parameters<Attempt>) =>
  runningRun(db, of('runId'))
    .set({ attempts: of('attempts') })
    .compile(),
);

/** Keeps further attempts; the first one is kept by the claim. Returns the ids of those runs that are still `running`. */
export async function keepAttempts(db: Db, attempts: readonly Attempt[]): Promise<Set<string>> {
  const isKept = await keepAttempt(db, attempts);
  return new Set(attempts.filter((_, index) => isKept[index]).map(({ runId }) => runId));
}

/** A job, and the run that it executes. */
interface Executing {
  jobId: string;
  runId: string;
}

/** What the end of a run changes of its job. */
interface JobOutcome extends Executing {
  health: 'up' | 'down';
  downReason: string | null;
  durationMs: number | null;
  success: number;
  failed: number;
}

const endRunOf = statementForEach((db: Db, of: Parameters<JobOutcome>) =>
  executingJob(db, of)
    .set((job) => ({
      active_run_id: null,
      health: of('health'),
      down_reason: of('downReason'),
      last_duration_ms: of('durationMs'),
      total_success: job('total_success', '+', of('success')),
      total_failed: job('total_failed', '+', of('failed')),
    }))
    .compile(),
);

const interruptRunOf = statementForEach((db: Db, of: Parameters<Executing>) =>
  executingJob(db, of)
    .set((job) => ({
      active_run_id: null,
      last_duration_ms: null,
      total_interrupted: job('total_interrupted', '+', 1),
    }))
    .compile(),
);

function executingJob(db: Db, of: Parameters<Executing>) {
  return db
    .updateTable('jobs')
    .where('id', '=', of('jobId'))
    .where('active_run_id', '=', of('runId'));
}

/** Health follows the last outcome; an interrupted run has none. The jobs may be claimed again. */
async function updateJobsOf(db: Db, runs: readonly EndedRow[]): Promise<void> {
  const interrupted = runs.filter(({ status }) => status === 'interrupted');
  const answered = runs.filter(({ status }) => status !== 'interrupted');
  await interruptRunOf(db, interrupted);
  await endRunOf(
    db,
    answered.map((run) => ({
      jobId: run.jobId,
      runId: run.runId,
      health: run.status === 'success' ? 'up' : 'down',
      downReason: errorOf(run),
      durationMs: run.durationMs,
      success: Number(run.status === 'success'),
      failed: Number(run.status === 'failed'),
    })),
  );
}

/** A run that a process executes. */
export interface RunningRun {
  runId: string;
  jobId: string;
  jobName: string;
  workspaceId: string;
  /** The workspace in the log; null while it is the only one. */
  workspace: string | null;
  /** Consecutive failures of the job. */
  failures: number;
  scheduledFor: number;
  startedAt: number;
  attempts: number;
  /** What its target reported already; null if nothing. */
  reported: CompletionOutcome | null;
  /** 1 if somebody waits for its end (`isFollowed`), else 0. */
  isFollowed: number;
}

/** The runs whose calls are in flight. One that waits for a report is no process's. */
export async function findRunningRuns(db: Db): Promise<RunningRun[]> {
  return await runningRuns(db).execute();
}

/** The runs of a node whose calls are in flight. */
export async function findRunningRunsOf(db: Db, nodeId: string): Promise<RunningRun[]> {
  return await runningRuns(db).where('node_id', '=', nodeId).execute();
}

/** Up to `limit` runs whose calls are in flight, but not on a node that serves. */
export async function findAbandonedRuns(db: Db, limit: number): Promise<RunningRun[]> {
  return await runningRuns(db)
    .where((of) =>
      of.not(
        of.exists(
          of
            .selectFrom('nodes')
            .select('nodes.id')
            .whereRef('nodes.id', '=', 'node_id')
            .where('ended_at', 'is', null),
        ),
      ),
    )
    .limit(limit)
    .execute();
}

/**
 * Those of these runs whose calls are still in flight, with what was reported by now. In a transaction nobody ends or reports
 * them until it ends.
 */
export async function holdRunningRuns(tx: Db, runs: RunningRun[]): Promise<RunningRun[]> {
  if (!locksRows(tx)) return runs;
  const ids = runs.map(({ runId }) => runId);
  await holdRuns(tx, ids);
  return await runningRuns(tx).where('runs.id', 'in', idList(ids)).execute();
}

function runningRuns(db: Db) {
  return db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .select(['runs.id as runId', 'job_id as jobId', 'jobs.workspace_id as workspaceId'])
    .select(['attempts', 'scheduled_for as scheduledFor', 'jobs.name as jobName', 'failures'])
    .select(workspaceLabel.as('workspace'))
    .select((of) => [
      of.ref('started_at').$notNull().as('startedAt'),
      of
        .selectFrom('completions')
        .select('outcome')
        .whereRef('run_id', '=', 'runs.id')
        .as('reported'),
    ])
    .select(isFollowed.as('isFollowed'))
    .where(isOpen)
    .where('status', '=', sql.lit<'running'>('running'))
    .where('http_status', 'is', null);
}
