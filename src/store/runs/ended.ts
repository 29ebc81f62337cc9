/** What the engine writes when runs end, in batches: the runs, and what they make of their jobs. */

import { sql, type OnConflictBuilder } from 'kysely';
import type { Health } from '../../domain/jobs/job.ts';
import type { ReportOutcome } from '../../domain/runs/report.ts';
import type { Outcome } from '../../domain/runs/outcome.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import { idList, isStill, locksRows, rowLock } from '../database/dialect.ts';
import type { RunRow, Schema } from '../database/schema.ts';
import type { Db } from '../database/store.ts';
import { isFollowed } from '../jobs/chains.ts';
import { holdJobs, holdRuns } from './held.ts';
import { statementForEach, type Parameters } from '../database/statement.ts';
import { workspaceLabel } from '../database/workspace-label.ts';

/** A run under way, as its claim knows it. Times are epoch milliseconds. */
export interface BegunRun {
  runId: string;
  jobId: string;
  workspaceId: string;
  scheduledFor: number;
  startedAt: number;
}

/** A run that ended. */
export interface EndedRun extends BegunRun, Omit<Outcome, 'status'> {
  status: Extract<RunStatus, 'success' | 'failed' | 'interrupted'>;
  /** When the outcome was known, or the run was closed without one. */
  finishedAt: number;
  /** Null if it was interrupted. */
  durationMs: number | null;
  attempts: number;
}

/** What a run makes of the health of its job. */
export interface NewHealth {
  health: 'up' | 'down';
  downReason: string | null;
  /** Consecutive ones. */
  failures: number;
  /** When the run ended, in epoch milliseconds. */
  at: number;
}

/** `health` has that of jobs by the ids of their runs; that of all others stays. */
type Recording = { receipts: boolean; health?: ReadonlyMap<string, NewHealth> };

/**
 * Records ended runs, counts them, and frees their jobs. A run that its job does not name any more is left as it is, so that
 * recording a batch twice changes nothing. With `receipts`, runs that got an answer are marked for signing. Returns
 * the ids of the runs that were recorded now.
 */
export async function recordEndedRuns(
  db: Db,
  runs: readonly EndedRun[],
  { receipts, health = new Map() }: Recording = { receipts: false },
): Promise<Set<string>> {
  const same = runs.filter(({ runId }) => !health.has(runId));
  const others = runs.filter(({ runId }) => health.has(runId));
  const changes = others.map((run) => ({ ...outcomeOf(run), ...health.get(run.runId)! }));
  // First: whose job names it is under way, and nobody else can end it from then on.
  const isFreed = [...(await freeJob(db, same.map(outcomeOf))), ...(await changeJob(db, changes))];
  const freed = [...same, ...others].filter((_, index) => isFreed[index]);
  const rows = freed.map((run) => rowOf(run, receipts));
  const isWritten = await endRun(db, rows);
  return new Set(freed.filter((_, index) => isWritten[index]).map(({ runId }) => runId));
}

/** The status on record, or null, of those of these runs that it does not have as they are here: others closed them. */
export async function findOtherEnds(
  db: Db,
  runs: readonly ({ runId: string } & Partial<Pick<EndedRun, 'status' | 'finishedAt'>>)[],
): Promise<Map<string, RunStatus | null>> {
  if (runs.length === 0) return new Map();
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'status', 'finished_at as finishedAt'])
    .where('id', 'in', idList(runs.map(({ runId }) => runId)))
    .execute();
  const ends = new Map(rows.map((row) => [row.id, row]));
  // What is there as it is here was written by a commit that seemed to fail. A run that waits has not ended.
  const others = runs.filter(({ runId, status = 'running', finishedAt = null }) => {
    const end = ends.get(runId);
    return end?.status !== status || end.finishedAt !== finishedAt;
  });
  return new Map(others.map(({ runId }) => [runId, ends.get(runId)?.status ?? null]));
}

/** What a job says of the run under way when there is none. */
export const noRun = {
  active_run_id: null,
  active_for: null,
  active_since: null,
  active_node_id: null,
} as const;

/** What the end of a run changes of its job, in any case. */
function outcomeOf({ jobId, runId, status, durationMs }: EndedRun) {
  return {
    jobId,
    runId,
    durationMs,
    success: Number(status === 'success'),
    failed: Number(status === 'failed'),
    interrupted: Number(status === 'interrupted'),
  };
}

type Counted = ReturnType<typeof outcomeOf>;

const freeJob = statementForEach((db: Db, of: Parameters<Counted>) => free(db, of).compile());

/** Says since when the job fails, too: the end of the first failure, until a success. */
const changeJob = statementForEach((db: Db, of: Parameters<Counted & NewHealth>) =>
  free(db, of)
    .set({
      health: of('health'),
      down_reason: of('downReason'),
      failures: of('failures'),
      failing_since: sql<number>`case ${of('failures')} when 0 then null when 1 then ${of('at')}
          else coalesce(failing_since, ${of('at')}) end`,
    })
    .compile(),
);

function free(db: Db, of: Parameters<Counted>) {
  return db
    .updateTable('jobs')
    .set((job) => ({
      ...noRun,
      last_duration_ms: of('durationMs'),
      total_success: job('total_success', '+', of('success')),
      total_failed: job('total_failed', '+', of('failed')),
      total_interrupted: job('total_interrupted', '+', of('interrupted')),
    }))
    .where('id', '=', of('jobId'))
    .where(isStill('active_run_id', of('runId')));
}

/** Texts are made well-formed: half a surrogate pair would come back from the database as three characters. */
function rowOf(run: EndedRun, receipts: boolean) {
  return {
    ...run,
    responseBody: run.responseBody && run.responseBody.toWellFormed(),
    truncated: Number(run.truncated),
    detail: run.detail && run.detail.toWellFormed(),
    receiptDue: Number(receipts && run.status !== 'interrupted' && run.httpStatus !== null),
  };
}

/** Values alone: with a select, SQLite would keep a journal for each statement (docs/decisions/0015-writing.md#0085). */
const endRun = statementForEach((db: Db, of: Parameters<ReturnType<typeof rowOf>>) => {
  const known = {
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
  };
  return db
    .insertInto('runs')
    .values({
      id: of('runId'),
      job_id: of('jobId'),
      workspace_id: of('workspaceId'),
      source: 'scheduled',
      scheduled_for: of('scheduledFor'),
      started_at: of('startedAt'),
      ...known,
    })
    .onConflict(orChange(Object.keys(known) as (keyof typeof known)[]))
    .compile();
});

/** What becomes of these columns where the run has a row already. */
function orChange(columns: readonly (keyof RunRow)[]) {
  return (same: OnConflictBuilder<Schema, 'runs'>) =>
    same
      .column('id')
      .doUpdateSet((row) => {
        const given = columns.map((name) => [name, row.ref(`excluded.${name}`)]);
        return Object.fromEntries(given) as Record<keyof RunRow, never>;
      })
      .where('runs.status', '=', sql.lit<'running'>('running'));
}

/** A further attempt of a run under way; `attempts` counts it. */
export interface Attempt extends Pick<BegunRun, 'runId' | 'jobId'> {
  attempts: number;
}

const ofBegun = ['id', 'job_id', 'workspace_id', 'source', 'scheduled_for', 'started_at'] as const;

const keepAttempt = statementForEach((db: Db, of: Parameters<Attempt>) =>
  db
    .insertInto('runs')
    .columns([...ofBegun, 'status', 'attempts'])
    .expression((from) =>
      from
        .selectFrom('jobs')
        .select([of('runId').as('id'), 'jobs.id as job_id', 'workspace_id'])
        .select(sql.lit('scheduled').as('source'))
        .select(['active_for as scheduled_for', 'active_since as started_at'])
        .select([sql.lit('running').as('status'), of('attempts').as('attempts')])
        .where('jobs.id', '=', of('jobId'))
        .where(isStill('active_run_id', of('runId')))
        .$if(locksRows(db), (query) => query.modifyEnd(rowLock('jobs'))),
    )
    .onConflict(orChange(['attempts']))
    .compile(),
);

/** Keeps further attempts; the first one is kept by the claim. Returns the ids of those runs that are still under way. */
export async function keepAttempts(db: Db, attempts: readonly Attempt[]): Promise<Set<string>> {
  const isKept = await keepAttempt(db, attempts);
  return new Set(attempts.filter((_, index) => isKept[index]).map(({ runId }) => runId));
}

/** A run that a process executes. */
export interface RunningRun extends BegunRun {
  jobName: string;
  /** The workspace in the log; null while it is the only one. */
  workspace: string | null;
  /** Of the job, before it. */
  health: Health;
  failures: number;
  attempts: number;
  /** What its target reported already; null if nothing. */
  reported: ReportOutcome | null;
  /** Of its node; null where none is known. */
  host: string | null;
  pid: number | null;
  /** 1 if somebody waits for its end (`isFollowed`), else 0. */
  isFollowed: number;
}

/** The runs whose calls are in flight. One that waits for a report is no process's. */
export async function findRunningRuns(db: Db): Promise<RunningRun[]> {
  return await runningRuns(db).execute();
}

/** The runs of a node whose calls are in flight. */
export async function findRunningRunsOf(db: Db, nodeId: string): Promise<RunningRun[]> {
  return await runningRuns(db).where('active_node_id', '=', nodeId).execute();
}

/** Up to `limit` runs whose calls are in flight, but not on a node that serves. */
export async function findAbandonedRuns(db: Db, limit: number): Promise<RunningRun[]> {
  return await runningRuns(db)
    .where((of) => of.or([of('nodes.id', 'is', null), of('ended_at', 'is not', null)]))
    .limit(limit)
    .execute();
}

/**
 * Those of these runs whose calls are still in flight, with what was reported by now. In a transaction nobody ends or reports
 * them until it ends.
 */
export async function holdRunningRuns(tx: Db, runs: RunningRun[]): Promise<RunningRun[]> {
  if (!locksRows(tx)) return runs;
  const [ids, jobIds] = [runs.map(({ runId }) => runId), runs.map(({ jobId }) => jobId)];
  await holdJobs(tx, jobIds);
  await holdRuns(tx, ids);
  return await runningRuns(tx).where('active_run_id', 'in', idList(ids)).execute();
}

function runningRuns(db: Db) {
  return db
    .selectFrom('jobs')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .leftJoin('runs', 'runs.id', 'active_run_id')
    .leftJoin('nodes', 'nodes.id', 'active_node_id')
    .select(['jobs.id as jobId', 'jobs.workspace_id as workspaceId', 'jobs.name as jobName'])
    .select(['health', 'failures', 'nodes.host', 'pid', isFollowed.as('isFollowed')])
    .select(workspaceLabel.as('workspace'))
    .select((of) => [
      of.ref('active_run_id').$notNull().as('runId'),
      of.ref('active_for').$notNull().as('scheduledFor'),
      of.ref('active_since').$notNull().as('startedAt'),
      of.fn.coalesce('attempts', sql.lit(1)).as('attempts'),
      of
        .selectFrom('reports')
        .select('outcome')
        .whereRef('run_id', '=', 'active_run_id')
        .as('reported'),
    ])
    .where('active_run_id', 'is not', null)
    .where('runs.http_status', 'is', null);
}
