/** Runs, as people see them. What the engine writes is in `claims.ts` and `results.ts`. */

import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Run, RunStatus, RunSummary, RunTotals } from '../../domain/runs/run.ts';
import { idList } from '../database/dialect.ts';
import { either } from '../database/either.ts';
import { isBadText } from '../database/one-of.ts';
import type { Db } from '../database/store.ts';
import type { RunRow } from '../database/schema.ts';
import { findReports } from './reports.ts';

/** Keeps a new manual run. */
export async function insertQueuedRun(
  db: Db,
  run: Run,
  idempotencyKey: string | null,
): Promise<void> {
  await db
    .insertInto('runs')
    .values({
      id: run.id,
      job_id: run.jobId,
      workspace_id: workspaceOf(sql.val(run.jobId)),
      source: run.source,
      status: run.status,
      scheduled_for: run.scheduledFor,
      idempotency_key: idempotencyKey,
      due_at: run.dueAt ?? null,
    })
    .execute();
}

/** Removes the runs that wait to be started, but for some. Returns how many. */
export async function dropQueuedRuns(db: Db, exceptIds: readonly string[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('runs')
    .where('status', '=', sql.lit<'queued'>('queued'))
    .where('id', 'not in', idList(exceptIds))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** As SQLite merges two tables in the order of an index only if their columns have the same types. */
const noText = either<null>({ sqlite: sql`cast(null as text)`, postgres: sql`null` });
const noNumber = either<null>({ sqlite: sql`cast(null as bigint)`, postgres: sql`null` });

/** What a run is whose call is in flight, and which has no row yet: of a due time, in its first attempt. */
const inFlight: Record<keyof RunRow, RawBuilder<unknown>> = {
  id: sql.ref('active_run_id'),
  job_id: sql.ref('jobs.id'),
  workspace_id: sql.ref('jobs.workspace_id'),
  source: sql`cast('scheduled' as text)`,
  status: sql`cast('running' as text)`,
  scheduled_for: sql.ref('active_for'),
  started_at: sql.ref('active_since'),
  finished_at: noNumber,
  attempts: sql`cast(1 as bigint)`,
  http_status: noNumber,
  duration_ms: noNumber,
  truncated: sql`cast(0 as smallint)`,
  reason: noText,
  detail: noText,
  last_due_at: noNumber,
  missed_count: noNumber,
  hindered_from: noNumber,
  hindered_until: noNumber,
  idempotency_key: noText,
  receipt_due: sql`cast(0 as smallint)`,
  cause_job_id: noText,
  cause_run_id: noText,
  due_at: noNumber,
  response_body: noText,
};

/** Whether a job has a run under way that has no row yet. */
export const isWithoutRow = sql<boolean>`active_run_id is not null
  and not exists (select 1 from runs as kept where kept.id = active_run_id)`;

/**
 * Every run: those that have a row, and those that their jobs alone name, as a row is written when they end. Whoever shows runs
 * reads them here, in one statement, so that none is missing while it ends
 * (docs/decisions/0015-writing.md#0085).
 */
export const everyRun = sql<Selectable<RunRow>>`(
  select ${sql.join(Object.keys(inFlight).map((name) => sql.ref(`runs.${name}`)))} from runs
  union all
  select ${sql.join(Object.values(inFlight))} from jobs
  where ${isWithoutRow})`.as<'runs'>('runs');

/** Runs that have a row. */
const keptRuns = sql<Selectable<RunRow>>`runs`.as<'runs'>('runs');

/** Where the runs with one of these statuses are, or all runs (null). */
export function runsWith(statuses: readonly RunStatus[] | null) {
  return statuses === null || statuses.includes('running') ? everyRun : keptRuns;
}

/** The run with this id of this job, or undefined. */
export async function findRun(db: Db, jobId: string, id: string): Promise<Run | undefined> {
  const row = await db
    .selectFrom(everyRun)
    .selectAll()
    .where('id', '=', id)
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const [run] = await withReports(db, [runOf(row)]);
  return run;
}

/** The job's run that was requested with this key, or undefined. */
export async function findRunByIdempotencyKey(
  db: Db,
  jobId: string,
  idempotencyKey: string,
): Promise<Run | undefined> {
  const row = await db
    .selectFrom('runs')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
  return row && runOf(row);
}

/**
 * When people last requested a run of this job in (after, until], epoch milliseconds; undefined if none was. One in
 * the future, from a clock that was ahead, does not count.
 */
export async function findManualRunIn(
  db: Db,
  jobId: string,
  after: number,
  until: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('runs')
    .select('scheduled_for as at')
    .where('job_id', '=', jobId)
    .where('scheduled_for', '>', after)
    .where('scheduled_for', '<=', until)
    .where('source', '=', 'manual')
    .where('cause_run_id', 'is', null)
    .orderBy('scheduled_for', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/** Where a page of runs ended. */
export type RunPosition = Pick<Run, 'scheduledFor' | 'source'>;

/** A page of a job's runs, newest first; `before` is where the previous page ended. */
export async function listRuns(
  db: Db,
  jobId: string,
  page: { limit: number; before: RunPosition | null },
): Promise<Run[]> {
  let query = db
    .selectFrom(everyRun)
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('scheduled_for', 'desc')
    .orderBy('source', 'desc')
    .limit(page.limit);
  if (page.before !== null) {
    const { scheduledFor, source } = page.before;
    query = query.where(sql<boolean>`(scheduled_for, source) < (${scheduledFor}, ${source})`);
  }
  return await withReports(db, (await query.execute()).map(runOf));
}

/** How many retained runs a job has in each state. */
export async function countRuns(db: Db, jobId: string): Promise<RunTotals> {
  const row = await db
    .selectFrom('jobs')
    .select([
      'total_success as success',
      'total_failed as failed',
      'total_interrupted as interrupted',
      'total_missed as missed',
    ])
    .select((of) => [
      sql<number>`case when active_run_id is null then 0 else 1 end`.as('running'),
      of
        .selectFrom('runs')
        .select(of.fn.countAll<number>().as('count'))
        .where('status', '=', sql.lit<'queued'>('queued'))
        .where('job_id', '=', jobId)
        .$asScalar()
        .$notNull()
        .as('queued'),
    ])
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row ?? { queued: 0, running: 0, success: 0, failed: 0, interrupted: 0, missed: 0 };
}

/** The condition of the indexes of runs that were no success, in the same words for the same reason. */
export const isBad = sql<boolean>`${sql.raw(isBadText)}`;

/** Whether the time that a run stands for is a due time of its own job: a replay has it, and what makes up for a missed one. */
export const isOfOwnDueTime = sql<boolean>`(cause_job_id is null or cause_job_id = job_id)`;

/** The workspace of a job: each run names it (docs/decisions/0040-lists.md#a-run-names-its-workspace). */
export function workspaceOf(jobId: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(select workspace_id from jobs where jobs.id = ${jobId})`;
}

/** Adds to runs that waited for a report, or wait, what is known of that. Others were not answered 202: nothing is asked then. */
export async function withReports<Known extends Run>(
  db: Db,
  runs: readonly Known[],
): Promise<Known[]> {
  const accepted = runs.filter(({ httpStatus }) => httpStatus === 202).map(({ id }) => id);
  const reports = await findReports(db, accepted);
  return runs.map((run) => {
    const report = reports.get(run.id);
    return report === undefined ? run : { ...run, report };
  });
}

/** The run that caused one, and the due time that it stands for, if it has them. */
function originIn({
  cause_job_id: jobId,
  cause_run_id: runId,
  due_at: dueAt,
}: Pick<Selectable<RunRow>, (typeof originColumns)[number]>): Pick<Run, 'causedBy' | 'dueAt'> {
  return {
    ...(jobId !== null && runId !== null && { causedBy: { jobId, runId } }),
    ...(dueAt !== null && { dueAt }),
  };
}

const originColumns = ['cause_job_id', 'cause_run_id', 'due_at'] as const;

/** The columns that say why a run was no success. */
const whyColumns = [
  'reason',
  'detail',
  'last_due_at',
  'missed_count',
  'hindered_from',
  'hindered_until',
] as const;

/** Why a run was no success, by its columns. */
function whyIn(
  row: Pick<Selectable<RunRow>, (typeof whyColumns)[number] | 'scheduled_for'>,
): Pick<Run, 'reason' | 'detail' | 'missed'> {
  const { reason, detail, last_due_at: last, missed_count: count } = row;
  if (last === null || count === null) return { reason, detail };
  const { scheduled_for: first, hindered_from: from, hindered_until: until } = row;
  return { reason, detail, missed: { first, last, count, from, until } };
}

export const summaryColumns = [
  'runs.id',
  'source',
  'status',
  'scheduled_for',
  'started_at',
  'finished_at',
  'attempts',
  'http_status',
  'duration_ms',
  ...whyColumns,
  ...originColumns,
] as const;

type SummaryRow = Pick<
  Selectable<RunRow>,
  'id' | Exclude<(typeof summaryColumns)[number], 'runs.id'>
>;

/** The run that a row of these columns holds. */
export function summaryOf(row: SummaryRow): RunSummary {
  return {
    id: row.id,
    source: row.source,
    status: row.status,
    scheduledFor: row.scheduled_for,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    attempts: row.attempts,
    httpStatus: row.http_status,
    durationMs: row.duration_ms,
    ...whyIn(row),
    ...originIn(row),
  };
}

/** The run that a row holds. */
export function runOf(row: Selectable<RunRow>): Run {
  return {
    ...summaryOf(row),
    jobId: row.job_id,
    responseBody: row.response_body,
    truncated: row.truncated === 1,
  };
}
