/**
 * Waits: runs that were answered 202 and whose targets report later. A run that waits is `running` and has its HTTP status,
 * its job's place and no process. Its row here decides who comes first: every change of it is conditional.
 *
 *     early report:  (no row) → outcome                     the call is in flight; `due_at` is null
 *     answer of 202: → accepted_at, due_at = expires_at      or 0, after an early report
 *     clock set back: → accepted_at, due_at = expires_at     those that began later begin now
 *     report:        → outcome, due_at = 0                   once: due now, whatever the clock says
 *     end:           → due_at null                           with the end of the run
 *
 * A call in flight may end without a row here. So a report holds its run's row too: who ends the run afterwards finds the
 * report. Rows are locked in the order job, run, report, so that nobody waits in a circle.
 */

import { sql, type ExpressionBuilder } from 'kysely';
import type { Report, ReportOutcome, Reporter } from '../../domain/runs/report.ts';
import type { RunReason } from '../../domain/runs/reason.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import { freeRowLock, idList, locksRows, sharedRowLock } from '../database/dialect.ts';
import { isFollowed } from '../jobs/chains.ts';
import { countRows } from '../database/count.ts';
import type { Db } from '../database/store.ts';
import type { Schema } from '../database/schema.ts';
import { statement, statementForEach, type Parameters } from '../database/statement.ts';
import { workspaceLabel } from '../database/workspace-label.ts';
import { holdRuns } from './held.ts';
import { noRun, type RunningRun } from './ended.ts';

/** A run whose answer begins a wait. Times are epoch milliseconds. */
export interface BegunWait {
  runId: string;
  attempts: number;
  httpStatus: number | null;
  responseBody: string | null;
  acceptedAt: number;
  expiresAt: number;
  /** 0 or 1. */
  truncated: number;
}

const answerRun = statementForEach((db: Db, of: Parameters<BegunWait>) =>
  db
    .updateTable('runs')
    .set({
      attempts: of('attempts'),
      http_status: of('httpStatus'),
      response_body: of.bytes('responseBody'),
      truncated: of('truncated'),
    })
    .where('id', '=', of('runId'))
    .where('status', '=', 'running')
    .where('http_status', 'is', null)
    .compile(),
);

const acceptRun = statementForEach((db: Db, of: Parameters<BegunWait>) =>
  db
    .insertInto('reports')
    .values({
      run_id: of('runId'),
      accepted_at: of('acceptedAt'),
      expires_at: of('expiresAt'),
      due_at: of('expiresAt'),
    })
    .onConflict((same) =>
      same.column('run_id').doUpdateSet((row) => ({
        accepted_at: row.ref('excluded.accepted_at'),
        expires_at: row.ref('excluded.expires_at'),
        // At once, whatever the clock says by now.
        due_at: sql<number>`case when reports.reported_at is null then excluded.due_at else 0 end`,
      })),
    )
    .compile(),
);

/** Begins waits. A run that is not executed any more is left as it is. Returns the ids of the others. */
export async function beginWaits(tx: Db, waits: readonly BegunWait[]): Promise<Set<string>> {
  const runIds = waits.map(({ runId }) => runId);
  await holdRuns(tx, runIds);
  const isAnswered = await answerRun(tx, waits);
  const begun = waits.filter((_, index) => isAnswered[index]);
  await acceptRun(tx, begun);
  return new Set(begun.map(({ runId }) => runId));
}

/** Lets waits begin now, in epoch milliseconds, that began later by a clock that was ahead (docs/behavior.md#report-4). */
export async function beginWaitsAgain(tx: Db, now: number): Promise<void> {
  const end = sql<number>`expires_at - accepted_at + ${now}`;
  const open = tx.updateTable('reports').where('due_at', '>', now);
  const begunLater = open.where('accepted_at', '>', now);
  await begunLater.set({ accepted_at: now, expires_at: end, due_at: end }).execute();
}

/** What a report keeps. `at` in epoch milliseconds. */
export interface KeptReport {
  runId: string;
  at: number;
  outcome: Exclude<ReportOutcome, 'expired'>;
  by: Reporter;
  message: string | null;
}

/** In the call, or in the wait. A report or an end closes it. */
const isOpen = sql<boolean>`reports.outcome is null
  and (reports.accepted_at is null or reports.due_at is not null)`;

/** The id of a run, unless it is over. In a transaction it does not end meanwhile. */
function openRun(
  db: Db,
  from: ExpressionBuilder<Schema, 'reports'>,
  of: Parameters<Pick<KeptReport, 'runId'>>,
) {
  return from
    .selectFrom('runs')
    .select(of('runId').as('run_id'))
    .where('id', '=', of('runId'))
    .where('status', '=', 'running')
    .$if(locksRows(db), (query) => query.orderBy('id').modifyEnd(sharedRowLock('runs')));
}

/** Keeps reports, each of another run. Returns for each whether it is the first one, of a run that is not over. */
export const keepReports = statementForEach((db: Db, of: Parameters<KeptReport>) =>
  db
    .insertInto('reports')
    .columns(['run_id', 'outcome', 'reported_at', 'reported_by', 'message'])
    .expression((from) =>
      openRun(db, from, of).select([
        of('outcome').as('outcome'),
        of('at').as('reported_at'),
        of('by').as('reported_by'),
        of('message').as('message'),
      ]),
    )
    .onConflict((same) =>
      same
        .column('run_id')
        .doUpdateSet((row) => ({
          outcome: row.ref('excluded.outcome'),
          reported_at: row.ref('excluded.reported_at'),
          reported_by: row.ref('excluded.reported_by'),
          message: row.ref('excluded.message'),
          due_at: sql<number>`case when reports.accepted_at is not null then 0 end`,
        }))
        .where(isOpen),
    )
    .compile(),
);

/** How far a run is. `at` in epoch milliseconds. */
export interface KeptProgress {
  runId: string;
  at: number;
  percent: number | null;
  line: string | null;
}

/** Keeps the last progress of runs, each of another run. Returns for each whether it was not over. */
export const keepProgress = statementForEach((db: Db, of: Parameters<KeptProgress>) =>
  db
    .insertInto('reports')
    .columns(['run_id', 'progress_at', 'percent', 'progress_line'])
    .expression((from) =>
      openRun(db, from, of).select([
        of('at').as('progress_at'),
        of('percent').as('percent'),
        of('line').as('progress_line'),
      ]),
    )
    .onConflict((same) =>
      same
        .column('run_id')
        .doUpdateSet((row) => ({
          progress_at: row.ref('excluded.progress_at'),
          percent: row.ref('excluded.percent'),
          progress_line: row.ref('excluded.progress_line'),
        }))
        .where(isOpen),
    )
    .compile(),
);

/** A wait that ends: its run, and what is known of its job. */
export interface DueWait extends Omit<RunningRun, 'reported' | 'host' | 'pid'> {
  httpStatus: number | null;
  responseBody: string | null;
  truncated: number;
  acceptedAt: number;
  expiresAt: number;
  outcome: ReportOutcome | null;
  reportedAt: number | null;
  message: string | null;
}

/** Which waits may end for being out of time: those that began at `acceptedFrom` or later. A report ends any. */
export interface WaitScope {
  /** In epoch milliseconds. */
  acceptedFrom: number;
}

/** Up to `limit` waits that end by `now`: reported or expired. Those that somebody else changes at this moment are left out. */
export async function findDueWaits(
  tx: Db,
  { now, acceptedFrom, limit }: WaitScope & { now: number; limit: number },
): Promise<DueWait[]> {
  return await tx
    .selectFrom('reports')
    .innerJoin('runs', 'runs.id', 'reports.run_id')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .select(['run_id as runId', 'job_id as jobId', 'jobs.name as jobName', 'health', 'failures'])
    .select(['jobs.workspace_id as workspaceId', workspaceLabel.as('workspace')])
    .select(['scheduled_for as scheduledFor', 'attempts', 'http_status as httpStatus'])
    .select(['response_body as responseBody', 'truncated', 'outcome', 'message'])
    .select(['reported_at as reportedAt', isFollowed.as('isFollowed')])
    .select((of) => [
      of.ref('started_at').$notNull().as('startedAt'),
      of.ref('accepted_at').$notNull().as('acceptedAt'),
      of.ref('reports.expires_at').$notNull().as('expiresAt'),
    ])
    .where('reports.due_at', '<=', now)
    .where((where) =>
      where.or([where('reports.due_at', '=', 0), where('accepted_at', '>=', acceptedFrom)]),
    )
    .orderBy('reports.due_at')
    .limit(limit)
    .$if(locksRows(tx), (query) => query.modifyEnd(freeRowLock('jobs', 'runs', 'reports')))
    .execute();
}

const earliestEnd = statement((db: Db, of: Parameters<WaitScope>) =>
  db
    .selectFrom('reports')
    .select('due_at')
    .where('due_at', 'is not', null)
    .where((where) =>
      where.or([where('due_at', '=', 0), where('accepted_at', '>=', of('acceptedFrom'))]),
    )
    .orderBy('due_at')
    .limit(sql.lit(1))
    .compile(),
);

/** When the next wait ends, in epoch milliseconds; 0 if one was reported, null if none is open. */
export async function findNextWaitEnd(db: Db, scope: WaitScope): Promise<number | null> {
  const [row] = await earliestEnd(db, scope);
  return row?.due_at ?? null;
}

/** Closes waits, with the ends of their runs. */
export const closeWaits = statementForEach(
  (db: Db, of: Parameters<{ runId: string; outcome: ReportOutcome | null }>) =>
    db
      .updateTable('reports')
      // What was reported stays: a deletion may come before the end of the run.
      .set((row) => ({ due_at: null, outcome: row.fn.coalesce('outcome', of('outcome')) }))
      .where('run_id', '=', of('runId'))
      .compile(),
);

/** Whether a run waits for a report: no process executes it. */
export async function isWaiting(db: Db, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom('runs')
    .select('http_status')
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return row !== undefined && row.http_status !== null;
}

/** The runs of a workspace that wait for a report. */
export async function findWaitsOf(
  db: Db,
  workspaceId: string,
): Promise<{ runId: string; jobId: string }[]> {
  return await db
    .selectFrom('jobs')
    .innerJoin('runs', 'runs.id', 'active_run_id')
    .select(['runs.id as runId', 'job_id as jobId'])
    .where('jobs.workspace_id', '=', workspaceId)
    .where('active_run_id', 'is not', null)
    .where('http_status', 'is not', null)
    .execute();
}

/** Ends the wait of a job that is deleted. Its run has no outcome, and nobody will see it. */
export async function dropWait(
  tx: Db,
  { jobId, runId, now }: { jobId: string; runId: string; now: number },
): Promise<void> {
  const detail = 'its job was deleted while it waited for a report';
  await tx
    .updateTable('runs')
    .set({ status: 'interrupted', finished_at: now, reason: 'cut_off', detail })
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .execute();
  await closeWaits(tx, [{ runId, outcome: null }]);
  await tx
    .updateTable('jobs')
    .set(noRun)
    .where('id', '=', jobId)
    // The wait may have ended meanwhile, and another run begun.
    .where('active_run_id', '=', runId)
    .execute();
}

/** Counts runs that wait for a report, up to `limit`. */
export async function countWaits(db: Db, limit: number): Promise<number> {
  const open = db.selectFrom('reports').select('due_at').where('due_at', 'is not', null);
  return await countRows(db, open.limit(limit).as('open'));
}

/** The waits of those of these runs that were answered 202, by run id. */
export async function findReports(
  db: Db,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Report>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('reports')
    .select(['run_id', 'percent', 'progress_line as line', 'progress_at as progressAt'])
    .select(['outcome', 'reported_at as reportedAt', 'reported_by as reportedBy', 'message'])
    .select((of) => of.ref('expires_at').$notNull().as('expiresAt'))
    .where('run_id', 'in', idList(runIds))
    .where('accepted_at', 'is not', null)
    .execute();
  return new Map(rows.map(({ run_id: runId, ...report }) => [runId, report]));
}

/** What a report is about: its run, and what is sealed of its job, whose secrets are not to be repeated. */
export interface ReportedRun {
  runId: string;
  jobId: string;
  workspaceId: string;
  url: string;
  sealed: string | null;
  status: RunStatus;
  finishedAt: number | null;
  reason: RunReason | null;
  detail: string | null;
  httpStatus: number | null;
  /** Null until somebody reported. */
  outcome: ReportOutcome | null;
  reportedAt: number | null;
}

const reportedRun = statement((db: Db, of: Parameters<{ runId: string }>) =>
  db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .leftJoin('reports', 'reports.run_id', 'runs.id')
    .select(['runs.id as runId', 'job_id as jobId', 'jobs.workspace_id as workspaceId', 'url'])
    .select(['sealed', 'status', 'finished_at as finishedAt', 'outcome'])
    .select(['reason', 'detail', 'http_status as httpStatus', 'reported_at as reportedAt'])
    .where('runs.id', '=', of('runId'))
    .where('jobs.deleted_at', 'is', null)
    .where('workspaces.deleted_at', 'is', null)
    .compile(),
);

/** The run of a report, or undefined. That of a deleted job is gone at once, although its rows are removed later. */
export async function findReportedRun(db: Db, runId: string): Promise<ReportedRun | undefined> {
  const [row] = await reportedRun(db, { runId });
  return row;
}
