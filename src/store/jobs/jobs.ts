/** Jobs, as people manage them. The engine's view of them is in `store/runs/claims.ts`. */

import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import { hostOf } from '../../domain/jobs/job.ts';
import { spanChange } from '../../domain/schedule/span.ts';
import type { Planned } from '../../domain/schedule/span.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { locksRows, lowerCase, rowLock } from '../database/dialect.ts';
import { afterAllIds, onPage } from '../database/named.ts';
import type { NamedPage } from '../database/named.ts';
import type { Db } from '../database/store.ts';
import type { JobRow } from '../database/schema.ts';
import { columnsOf, statement, statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';
import { afterIn, dropChainedRuns } from './chains.ts';
import { keepSpans } from './spans.ts';

type Row = ReturnType<typeof rowOf>;

const insertRow = statementForEach((db: Db, of: Parameters<Row>, row: Row) =>
  db
    .insertInto('jobs')
    .values(columnsOf(of, Object.keys(row) as (keyof Row)[]))
    .compile(),
);

/** Keeps a new job, and since when its schedule is in force. */
export async function insertJob(tx: Db, job: SealedJob): Promise<void> {
  await insertRow(tx, [rowOf(job)]);
  await keepSpans(tx, [spanChange(null, job, { at: job.createdAt, reason: 'changed' })]);
}

/** Keeps the editable columns of a job, and when it is due next. `before`: what it was, in the same transaction. */
export async function updateJob(
  tx: Db,
  before: Planned,
  job: SealedJob,
  now: number,
): Promise<void> {
  await tx.updateTable('jobs').set(editableColumns(job)).where('id', '=', job.id).execute();
  const reason = job.paused ? 'paused' : 'changed';
  if (job.after !== null && job.paused) await dropChainedRuns(tx, [job.id]);
  await keepSpans(tx, [spanChange(before, job, { at: now, reason })]);
}

/** Hides a job for good. It is removed later, with its history. */
export async function markJobDeleted(db: Db, id: string, now: number): Promise<void> {
  await markDeleted(db, [{ id, now }]);
}

const markDeleted = statementForEach((db: Db, of: Parameters<{ id: string; now: number }>) =>
  db
    .updateTable('jobs')
    .set({ deleted_at: of('now'), next_run_at: null })
    .where('id', '=', of('id'))
    .compile(),
);

const jobById = statement((db: Db, of: Parameters<{ workspaceId: string; id: string }>) =>
  db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', of('id'))
    .where('workspace_id', '=', of('workspaceId'))
    .where('deleted_at', 'is', null)
    .$if(locksRows(db), (query) => query.modifyEnd(rowLock('jobs')))
    .compile(),
);

/** The job with this id in this workspace, or undefined. */
export async function findJob(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<SealedJob | undefined> {
  const [row] = await jobById(db, { workspaceId, id });
  return row && jobOf(row);
}

const jobPage = statement(
  (db: Db, of: Parameters<{ workspaceId: string; before: string; limit: number }>) =>
    db
      .selectFrom('jobs')
      .selectAll()
      .where('workspace_id', '=', of('workspaceId'))
      .where('deleted_at', 'is', null)
      .where('id', '<', of('before'))
      .orderBy('id', 'desc')
      .limit(of('limit'))
      .compile(),
);

/** A page of a workspace's jobs, newest first. */
export async function listJobs(db: Db, workspaceId: string, page: NamedPage): Promise<SealedJob[]> {
  const { limit, before, name, idPrefix } = page;
  const rows =
    name === null && idPrefix === null
      ? await jobPage(db, { workspaceId, limit, before: before ?? afterAllIds })
      : await namedJobs(db, workspaceId, page).execute();
  return rows.map(jobOf);
}

/** With a name, in the order of the index of names, whose letters are in lower case. */
function namedJobs(db: Db, workspaceId: string, page: NamedPage) {
  const { name } = page;
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .$if(name !== null, (query) => query.where(sql<boolean>`name_lower = ${lowerCase(name ?? '')}`))
    .where(onPage(page))
    .orderBy('id', 'desc')
    .limit(page.limit);
}

/** The columns that people set, and those that follow from them. The engine keeps the others. */
function editableColumns(job: SealedJob) {
  return {
    name: job.name,
    url: job.url,
    host: hostOf(job.url),
    method: job.method,
    sealed: job.sealed,
    schedule_type: job.scheduleType,
    cron_expr: job.cronExpr,
    timezone: job.timezone,
    period_seconds: job.periodSeconds,
    anchor_at: job.anchorAt,
    timeout_seconds: job.timeoutSeconds,
    retries: job.retries,
    await_seconds: job.awaitSeconds,
    after_job_id: job.after?.jobId ?? null,
    after_on: job.after?.on ?? null,
    on_result: job.onResult,
    sign: job.sign,
    audience: job.audience,
    notes: job.notes,
    paused: job.paused ? 1 : 0,
    next_run_at: job.nextRunAt,
  };
}

/** The columns of a new job. */
function rowOf(job: SealedJob) {
  const { id, workspaceId, health, createdAt } = job;
  return { id, workspace_id: workspaceId, health, created_at: createdAt, ...editableColumns(job) };
}

/** What a claim and a call need of a job. */
export type DueJob = ReturnType<typeof dueJobOf>;

/** Its columns. A row has twice as many, and reading each of them takes time. */
export const dueJobColumns = [
  'jobs.id',
  'jobs.workspace_id',
  'jobs.name',
  'jobs.url',
  'jobs.method',
  'jobs.sealed',
  'jobs.schedule_type',
  'jobs.cron_expr',
  'jobs.timezone',
  'jobs.period_seconds',
  'jobs.anchor_at',
  'jobs.timeout_seconds',
  'jobs.retries',
  'jobs.await_seconds',
  'jobs.sign',
  'jobs.audience',
  'jobs.failures',
  'jobs.next_run_at',
  'jobs.last_run_at',
  'jobs.last_duration_ms',
] as const;

type DueJobColumn = (typeof dueJobColumns)[number] extends `jobs.${infer Name}` ? Name : never;
type DueJobRow = Pick<Selectable<JobRow>, DueJobColumn & keyof JobRow>;

/** The part of a job that a claim reads. */
export function dueJobOf(row: DueJobRow) {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    url: row.url,
    method: row.method,
    sealed: row.sealed,
    scheduleType: row.schedule_type,
    cronExpr: row.cron_expr,
    timezone: row.timezone,
    periodSeconds: row.period_seconds,
    anchorAt: row.anchor_at,
    timeoutSeconds: row.timeout_seconds,
    retries: row.retries,
    awaitSeconds: row.await_seconds,
    sign: row.sign,
    audience: row.audience,
    failures: row.failures,
    nextRunAt: row.next_run_at,
    lastRunAt: row.last_run_at,
    lastDurationMs: row.last_duration_ms,
  } satisfies Partial<SealedJob>;
}

/** The job that a row holds. */
export function jobOf(row: Selectable<JobRow>): SealedJob {
  return {
    ...dueJobOf(row),
    after: afterIn(row),
    onResult: row.on_result,
    notes: row.notes,
    paused: row.paused === 1,
    health: row.health,
    activeRunId: row.active_run_id,
    downReason: row.down_reason,
    createdAt: row.created_at,
  };
}
