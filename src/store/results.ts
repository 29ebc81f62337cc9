/** What the engine writes when runs end: the run and its job's health, in batches. */

import { sql } from 'kysely';
import type { RunStatus } from '../domain/run.ts';
import { numberOf, rowsOf, textOf } from './dialect.ts';
import type { Db } from './open.ts';
import { isOpen } from './runs.ts';

/** A run that ended. Times are epoch milliseconds. */
export interface EndedRun {
  runId: string;
  jobId: string;
  status: Extract<RunStatus, 'success' | 'failed' | 'interrupted'>;
  /** When the outcome was known; null if it never was. */
  finishedAt: number | null;
  durationMs: number | null;
  attempts: number;
  httpStatus: number | null;
  responseBody: string | null;
  truncated: boolean;
  error: string | null;
}

/**
 * Records runs that ended, and what that means for their jobs. A run that is not `running` any more
 * is left as it is, so that recording the same batch twice changes nothing. With `receipts`, runs that
 * got an answer are marked for signing. Returns the ids of the runs that were recorded now.
 */
export async function recordEndedRuns(
  db: Db,
  runs: readonly EndedRun[],
  { receipts }: { receipts: boolean } = { receipts: false },
): Promise<Set<string>> {
  if (runs.length === 0) return new Set();
  const ended = runs.map(wellFormed);
  const elements = ended.map((run) => ({
    ...run,
    truncated: Number(run.truncated),
    receiptDue: Number(receipts && run.status !== 'interrupted' && run.httpStatus !== null),
  }));
  const recorded = await sql<{ id: string }>`
    update runs set
      status = ${textOf('status', 'ended.value')},
      finished_at = ${numberOf('finishedAt', 'ended.value')},
      attempts = ${numberOf('attempts', 'ended.value')},
      http_status = ${numberOf('httpStatus', 'ended.value')},
      duration_ms = ${numberOf('durationMs', 'ended.value')},
      response_body = ${textOf('responseBody', 'ended.value')},
      truncated = ${numberOf('truncated', 'ended.value')},
      error = ${textOf('error', 'ended.value')},
      receipt_due = ${numberOf('receiptDue', 'ended.value')}
    from ${rowsOf(elements)} as ended
    where runs.id = ${textOf('runId', 'ended.value')} and runs.status = 'running'
    returning id`.execute(db);
  const ids = new Set(recorded.rows.map((row) => row.id));
  await updateJobsOf(
    db,
    ended.filter((run) => ids.has(run.runId)),
  );
  return ids;
}

/** As JSON half a surrogate pair would pass, and come back from the database as three characters. */
function wellFormed(run: EndedRun): EndedRun {
  const { responseBody, error } = run;
  return {
    ...run,
    responseBody: responseBody && responseBody.toWellFormed(),
    error: error && error.toWellFormed(),
  };
}

/** Health follows the last outcome, an interrupted run has none; the job may be claimed again. */
async function updateJobsOf(db: Db, runs: readonly EndedRun[]): Promise<void> {
  const changes = runs.map(({ jobId, runId, status, durationMs, error }) => ({
    jobId,
    runId,
    health: { success: 'up', failed: 'down', interrupted: null }[status],
    downReason: error,
    durationMs,
    success: Number(status === 'success'),
    failed: Number(status === 'failed'),
    interrupted: Number(status === 'interrupted'),
  }));
  await sql`
    update jobs set
      active_run_id = null,
      health = coalesce(${textOf('health', 'ended.value')}, health),
      down_reason = case when ${textOf('health', 'ended.value')} is null
        then down_reason else ${textOf('downReason', 'ended.value')} end,
      last_duration_ms = ${numberOf('durationMs', 'ended.value')},
      total_success = total_success + ${numberOf('success', 'ended.value')},
      total_failed = total_failed + ${numberOf('failed', 'ended.value')},
      total_interrupted = total_interrupted + ${numberOf('interrupted', 'ended.value')}
    from ${rowsOf(changes)} as ended
    where jobs.id = ${textOf('jobId', 'ended.value')}
      and jobs.active_run_id = ${textOf('runId', 'ended.value')}`.execute(db);
}

/** The runs that are `running`, with their jobs: at a start, those of a process that is gone. */
export async function findRunningRuns(db: Db): Promise<{ runId: string; jobId: string }[]> {
  return await db
    .selectFrom('runs')
    .select(['id as runId', 'job_id as jobId'])
    .where(isOpen)
    .where('status', '=', sql.lit<'running'>('running'))
    .execute();
}
