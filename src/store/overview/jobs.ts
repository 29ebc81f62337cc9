/**
 * Lists of jobs by status, text and order. A list walks along an index from where the previous page ended. If it has to
 * leave out rows, it first looks in the index for the row at which it must stop (`findStop`): so it reads a bounded number
 * of rows, and knows where the next page begins.
 */

import { sql, type RawBuilder } from 'kysely';
import type { AfterOn } from '../../domain/jobs/after-words.ts';
import type { JobOrder, JobState, ListedJob } from '../../domain/jobs/listed-job.ts';
import { labelsIn } from '../../domain/labels.ts';
import type { Search } from '../../domain/search.ts';
import { adjustmentFieldsIn } from '../../domain/schedule/adjustments.ts';
import { selectionOf } from '../database/columns.ts';
import { beforeTies, idList, tieBreak, withoutIndex } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { afterIn } from '../jobs/chains.ts';
import { isFound } from './search.ts';

/**
 * How a list goes through jobs: along an index, or by sorting the jobs of a workspace that has few. The index of due times has
 * the jobs of all workspaces, and those of the index of names are all over the file.
 */
export type JobWalk = JobOrder | 'name of few' | 'due of few';

/** A place in any walk: that of a job. */
export interface JobPlace {
  id: string;
  nameLower: string;
  nextRunAt: number | null;
}

/** What a list leaves out. */
export interface JobCondition {
  state: JobState | null;
  search: Search | null;
}

/** The state of a job as a condition, in the words of its index if it has one, so that SQLite uses it. */
export const isInState: Readonly<Record<JobState, RawBuilder<boolean>>> = {
  down: sql<boolean>`(health = 'down' and paused = 0)`,
  new: sql<boolean>`(health = 'new' and paused = 0)`,
  up: sql<boolean>`(health = 'up' and paused = 0)`,
  paused: sql<boolean>`(paused = 1)`,
};

interface Walk {
  order: RawBuilder<unknown>;
  readonly after: (place: JobPlace) => RawBuilder<boolean>;
  readonly upTo: (place: JobPlace) => RawBuilder<boolean>;
}

const walks: Readonly<Record<JobWalk, Walk>> = {
  newest: {
    order: sql`id desc`,
    after: ({ id }) => sql<boolean>`id < ${id}`,
    upTo: ({ id }) => sql<boolean>`id >= ${id}`,
  },
  name: byName(sql.ref('name_lower')),
  'name of few': byName(withoutIndex('name_lower')),
  due: byDueTime(sql.ref('next_run_at')),
  'due of few': byDueTime(withoutIndex('next_run_at')),
};

function byName(name: RawBuilder<unknown>): Walk {
  return {
    order: sql`${name}, id`,
    after: ({ nameLower, id }) => sql<boolean>`(${name}, id) > (${nameLower}, ${id})`,
    upTo: ({ nameLower, id }) => sql<boolean>`(${name}, id) <= (${nameLower}, ${id})`,
  };
}

function byDueTime(dueAt: RawBuilder<unknown>): Walk {
  return {
    order: sql`${dueAt}, ${tieBreak}`,
    after: (place) => sql<boolean>`(${dueAt}, ${tieBreak}) > ${dueTimeOf(place)}`,
    upTo: (place) => sql<boolean>`(${dueAt}, ${tieBreak}) <= ${dueTimeOf(place)}`,
  };
}

/** If the job at this place is gone, those with its due time may be listed again, and none is left out. */
function dueTimeOf({ nextRunAt, id }: JobPlace): RawBuilder<unknown> {
  return sql`(${nextRunAt}, coalesce((select ${tieBreak} from jobs where id = ${id}), ${beforeTies}))`;
}

/** The jobs of a walk. Those that are due are neither paused nor running. */
function jobsOn(db: Db, walk: JobWalk, workspaceId: string | null) {
  const isWaiting = sql<boolean>`next_run_at is not null and active_run_id is null`;
  // A deleted job has no due time, so that the index needs no look at the rows.
  const waiting = db.selectFrom('jobs').where(isWaiting);
  if (workspaceId === null) return waiting;
  if (walk === 'due') return waiting.where(withoutIndex('workspace_id'), '=', workspaceId);
  const jobs = db.selectFrom('jobs').where('deleted_at', 'is', null);
  const own = jobs.where('workspace_id', '=', workspaceId);
  return walk === 'due of few'
    ? own.where(withoutIndex('next_run_at'), 'is not', null).where('active_run_id', 'is', null)
    : own;
}

const placeColumns = ['id', 'name_lower as nameLower', 'next_run_at as nextRunAt'] as const;

/** Where a walk after `after` must stop so that it reads `rows` rows at most; undefined if it ends before. */
export async function findStop(
  db: Db,
  workspaceId: string,
  walk: JobWalk,
  { state, after, rows }: { state: JobState | null; after: JobPlace | null; rows: number },
): Promise<JobPlace | undefined> {
  // Only the newest jobs have indexes by state.
  const isIndexed = walk === 'newest' && state !== null && state !== 'up';
  return await jobsOn(db, walk, walk === 'due' ? null : workspaceId)
    .select(placeColumns)
    .$if(isIndexed, (query) => query.where(isInState[state ?? 'up']))
    .$if(after !== null, (query) => query.where(walks[walk].after(after as JobPlace)))
    .orderBy(walks[walk].order)
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
}

/** The last of a workspace's own jobs in a part of the walk by due time; undefined if all in it are of others. */
export async function findLastDue(
  db: Db,
  workspaceId: string,
  { after, upTo }: { after: JobPlace | null; upTo: JobPlace },
): Promise<JobPlace | undefined> {
  return await jobsOn(db, 'due', workspaceId)
    .select(placeColumns)
    .$if(after !== null, (query) => query.where(walks.due.after(after as JobPlace)))
    .where(walks.due.upTo(upTo))
    .orderBy('next_run_at', 'desc')
    .orderBy(sql`${tieBreak} desc`)
    .limit(1)
    .executeTakeFirst();
}

/** A job with its place in the list. */
export interface PlacedJob extends ListedJob, JobPlace {
  nextRunAt: number | null;
}

const listed = selectionOf({
  id: 'id',
  key: 'managed_key',
  name: 'name',
  nameLower: 'name_lower',
  url: 'url',
  method: 'method',
  scheduleType: 'schedule_type',
  cronExpr: 'cron_expr',
  timezone: 'timezone',
  periodSeconds: 'period_seconds',
  anchorAt: 'anchor_at',
  adjustments: 'adjustments',
  paused: 'paused',
  afterJobId: 'after_job_id',
  afterOn: 'after_on',
  labels: 'labels',
  health: 'health',
  failures: 'failures',
  failingSince: 'failing_since',
  activeRunId: 'active_run_id',
  nextRunAt: 'next_run_at',
  lastRunAt: 'last_run_at',
  lastDurationMs: 'last_duration_ms',
  downReason: 'down_reason',
} as const);

/** The name of the job that a job runs after. */
const afterName = sql<string | null>`(select before.name from jobs as before
  where before.id = jobs.after_job_id and before.deleted_at is null)`.as('afterName');

/** The part of a walk after one place and up to another one. */
export interface JobSpan extends JobCondition {
  after: JobPlace | null;
  upTo: JobPlace | undefined;
}

/** The ids of a workspace's jobs in a part of a walk. */
export async function findJobsWith(
  db: Db,
  workspaceId: string,
  walk: JobWalk,
  span: JobSpan,
): Promise<string[]> {
  const rows = await jobsBetween(db, workspaceId, walk, span).select('id').execute();
  return rows.map(({ id }) => id);
}

/** A page of a workspace's jobs in a part of a walk; only those with `ids` unless it is null. */
export async function listJobsOn(
  db: Db,
  workspaceId: string,
  walk: JobWalk,
  page: JobSpan & { ids: readonly string[] | null; limit: number },
): Promise<PlacedJob[]> {
  const { ids, limit } = page;
  const rows = await jobsBetween(db, workspaceId, walk, page)
    .select([...listed, afterName])
    .$if(ids !== null, (query) => query.where('id', 'in', idList(ids ?? [])))
    .orderBy(walks[walk].order)
    .limit(limit)
    .execute();
  return rows.map(placedJobOf);
}

function jobsBetween(
  db: Db,
  workspaceId: string,
  walk: JobWalk,
  { state, search, after, upTo }: JobSpan,
) {
  return jobsOn(db, walk, workspaceId)
    .$if(state !== null, (query) => query.where(isInState[state ?? 'up']))
    .$if(search !== null, (query) => query.where(isFound(search as Search, searched)))
    .$if(after !== null, (query) => query.where(walks[walk].after(after as JobPlace)))
    .$if(upTo !== undefined, (query) => query.where(walks[walk].upTo(upTo as JobPlace)));
}

/** Those of these jobs that a search finds, newest first. */
export async function listJobsOf(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  { search, limit }: { search: Search | null; limit: number },
): Promise<PlacedJob[]> {
  const rows = await jobsOn(db, 'newest', workspaceId)
    .select([...listed, afterName])
    .where('id', 'in', idList(ids))
    .$if(search !== null, (query) => query.where(isFound(search as Search, searched)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(placedJobOf);
}

/** Where a search looks for a text. */
const searched = ['name', 'url'];

function placedJobOf<
  Row extends {
    adjustments: string | null;
    paused: number;
    afterJobId: string | null;
    afterOn: AfterOn | null;
    labels: string | null;
  },
>({ afterJobId, afterOn, labels, ...row }: Row) {
  const after = afterIn({ after_job_id: afterJobId, after_on: afterOn });
  const { runAt } = adjustmentFieldsIn(row.adjustments);
  return { ...row, runAt, paused: row.paused === 1, after, labels: labelsIn(labels) };
}

/** Whether a workspace has at least this many jobs. */
export async function hasJobs(db: Db, workspaceId: string, count: number): Promise<boolean> {
  const row = await jobsOn(db, 'newest', workspaceId)
    .select('id')
    .orderBy('id')
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The jobs of a workspace with a run under way. */
export async function findRunningJobs(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('active_run_id', 'is not', null)
    // Never of a deleted job.
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
