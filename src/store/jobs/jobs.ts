/** Jobs, as people manage them. The engine's view of them is in `store/runs/claims.ts`. */

import { sql, type Selection } from 'kysely';
import { jobFields } from '../../domain/jobs/fields.ts';
import { hostOf } from '../../domain/jobs/job.ts';
import { labelsIn } from '../../domain/labels.ts';
import { deletionAt } from '../../domain/jobs/spent.ts';
import { adjustmentFieldsIn } from '../../domain/schedule/adjustments.ts';
import { adjustmentFields } from '../../domain/schedule/fields.ts';
import { spanChange, type Planned } from '../../domain/schedule/span.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { columnsFor, selectionOf, toRow } from '../database/columns.ts';
import { idList, locksRows, lowerCase, rowLock } from '../database/dialect.ts';
import { afterAllIds, onPage, type LabelledPage } from '../database/named.ts';
import type { Db } from '../database/store.ts';
import type { Schema } from '../database/schema.ts';
import { columnsOf, statement, statementForEach, type Parameters } from '../database/statement.ts';
import { afterIn, dropChainedRuns, dropMakeUps } from './chains.ts';
import { keepSpans } from './schedule-spans.ts';

/** Headers and body are sealed, `after` has two columns, and the secret is kept with a channel. */
const { headers: _, body: __, after: ___, onResultSecret: ____, ...columned } = jobFields;
/** What adjusts due times is one column. */
const plain = Object.fromEntries(
  Object.entries(columned).filter(([name]) => !Object.hasOwn(adjustmentFields, name)),
) as Omit<typeof columned, keyof typeof adjustmentFields>;

/** Set at the creation. */
const fixed = {
  id: 'id',
  workspaceId: 'workspace_id',
  health: 'health',
  createdAt: 'created_at',
} as const;

/** What people set, and what follows from it. */
const editable = {
  ...columnsFor(plain),
  sealed: 'sealed',
  anchorAt: 'anchor_at',
  adjustments: 'adjustments',
  nextRunAt: 'next_run_at',
} as const;

export const jobColumns = [
  ...selectionOf({
    ...fixed,
    ...editable,
    failures: 'failures',
    activeRunId: 'active_run_id',
    lastRunAt: 'last_run_at',
    lastDurationMs: 'last_duration_ms',
    downReason: 'down_reason',
  }),
  'after_job_id',
  'after_on',
] as const;

/** The job that a row holds. */
export function jobOf({
  after_job_id,
  after_on,
  paused,
  labels,
  ...job
}: Selection<Schema, 'jobs', (typeof jobColumns)[number]>): SealedJob {
  const after = afterIn({ after_job_id, after_on });
  const kept = { paused: paused === 1, labels: labelsIn(labels), after };
  return { ...job, ...adjustmentFieldsIn(job.adjustments), ...kept };
}

type Row = ReturnType<typeof newRow>;

/** The columns of a new job. */
function newRow(job: SealedJob, callKey: string | null) {
  return { ...toRow(fixed, job), ...editableColumns(job), call_key: callKey };
}

const insertRow = statementForEach((db: Db, of: Parameters<Row>, row: Row) =>
  db
    .insertInto('jobs')
    .values(columnsOf(of, Object.keys(row) as (keyof Row)[]))
    .compile(),
);

/** Keeps a new job, and since when its schedule is in force. `callKey`: the key of a call that is made with others. */
export async function insertJob(
  tx: Db,
  job: SealedJob,
  callKey: string | null = null,
): Promise<void> {
  await insertRow(tx, [newRow(job, callKey)]);
  await keepSpans(tx, [spanChange(null, job, { at: job.createdAt, reason: 'changed' })]);
}

/** Keeps the editable columns of a job, and when it is due next. `before`: what it was, in the same transaction. */
export async function updateJob(
  tx: Db,
  before: Planned & Pick<SealedJob, 'makeUpSeconds'>,
  job: SealedJob,
  now: number,
): Promise<void> {
  await tx.updateTable('jobs').set(editableColumns(job)).where('id', '=', job.id).execute();
  const reason = job.paused ? 'paused' : 'changed';
  if (job.paused) await dropChainedRuns(tx, [job.id]);
  else if (job.makeUpSeconds === null && before.makeUpSeconds !== null) {
    await dropMakeUps(tx, [job.id], 'off');
  }
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
    .select(jobColumns)
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

/** The jobs that `POST /calls` made under these keys, unless they are deleted (docs/behavior.md#once-7): ids by keys. */
export async function findCalls(
  db: Db,
  workspaceId: string,
  keys: readonly string[],
): Promise<Map<string | null, string>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'call_key'])
    .where('workspace_id', '=', workspaceId)
    .where('call_key', 'in', idList(keys))
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, call_key }) => [call_key, id]));
}

const jobPage = statement(
  (db: Db, of: Parameters<{ workspaceId: string; before: string; limit: number }>) =>
    db
      .selectFrom('jobs')
      .select(jobColumns)
      .where('workspace_id', '=', of('workspaceId'))
      .where('deleted_at', 'is', null)
      .where('id', '<', of('before'))
      .orderBy('id', 'desc')
      .limit(of('limit'))
      .compile(),
);

/** A page of a workspace's jobs, newest first. */
export async function listJobs(
  db: Db,
  workspaceId: string,
  page: LabelledPage,
): Promise<SealedJob[]> {
  const { limit, before, name, idPrefix, selector = null } = page;
  const rows =
    name === null && idPrefix === null && selector === null
      ? await jobPage(db, { workspaceId, limit, before: before ?? afterAllIds })
      : await namedJobs(db, workspaceId, page).execute();
  return rows.map(jobOf);
}

/** With a name, in the order of the index of names, whose letters are in lower case. */
function namedJobs(db: Db, workspaceId: string, page: LabelledPage) {
  const { name } = page;
  return db
    .selectFrom('jobs')
    .select(jobColumns)
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .$if(name !== null, (query) => query.where(sql<boolean>`name_lower = ${lowerCase(name ?? '')}`))
    .where(onPage(page))
    .orderBy('id', 'desc')
    .limit(page.limit);
}

/** The columns that people set, and those that follow from them. The engine keeps the others. */
function editableColumns(job: SealedJob) {
  const { jobId = null, on = null } = job.after ?? {};
  const after = { after_job_id: jobId, after_on: on };
  return { ...toRow(editable, job), ...after, host: hostOf(job.url), delete_at: deletionAt(job) };
}

/** What a claim and a call need of a job. A row has twice as many columns, and reading each of them takes time. */
export const dueJobColumns = selectionOf({
  id: 'jobs.id',
  workspaceId: 'jobs.workspace_id',
  name: 'jobs.name',
  url: 'jobs.url',
  method: 'jobs.method',
  sealed: 'jobs.sealed',
  scheduleType: 'jobs.schedule_type',
  cronExpr: 'jobs.cron_expr',
  timezone: 'jobs.timezone',
  periodSeconds: 'jobs.period_seconds',
  anchorAt: 'jobs.anchor_at',
  adjustments: 'jobs.adjustments',
  timeoutSeconds: 'jobs.timeout_seconds',
  retries: 'jobs.retries',
  reportWithinSeconds: 'jobs.report_within_seconds',
  makeUpSeconds: 'jobs.make_up_seconds',
  sign: 'jobs.sign',
  audience: 'jobs.audience',
  health: 'jobs.health',
  failures: 'jobs.failures',
  nextRunAt: 'jobs.next_run_at',
  lastRunAt: 'jobs.last_run_at',
  lastDurationMs: 'jobs.last_duration_ms',
});

/** The part of a job that a claim reads. */
export type DueJob = Selection<Schema, 'jobs', (typeof dueJobColumns)[number]>;
