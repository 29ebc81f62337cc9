/**
 * The runs of a workspace, newest first, and those of one moment by job. Each run names its workspace, so that nobody's
 * list meets the runs of others (docs/decisions/0040-lists.md#a-run-names-its-workspace). Those that were no success have an
 * index of their own, in the same order.
 */

import { sql, type RawBuilder } from 'kysely';
import type { Selector } from '../../domain/labels.ts';
import { badRunStatuses } from '../../domain/runs/run.ts';
import type { RunSource, RunStatus, RunSummary } from '../../domain/runs/run.ts';
import { labelsFit } from '../database/labels.ts';
import type { JobRow } from '../database/schema.ts';
import type { Db } from '../database/store.ts';
import { isBad, runsWith, summaryColumns, summaryOf } from './runs.ts';

/** A run in a list, with its job. */
export interface ListedRun extends RunSummary {
  jobId: string;
  jobName: string;
}

export interface RunPlace {
  scheduledFor: number;
  jobId: string;
  source: RunSource;
}

/** Which runs are asked for, and where to begin. */
export interface RunSpan {
  statuses: readonly RunStatus[];
  /** Only runs behind this place; null for all. */
  before: RunPlace | null;
  /** Only runs that were due at this time or later, in epoch milliseconds; null for all. */
  since: number | null;
}

const place = sql`(scheduled_for, job_id, source)`;
const newestFirst = sql`scheduled_for desc, job_id desc, source desc`;

function valuesOf({ scheduledFor, jobId, source }: RunPlace): RawBuilder<unknown> {
  return sql`(${scheduledFor}, ${jobId}, ${source})`;
}

/** The runs that a list walks over, in its order. What was no success is found along its own index. */
export function runsOfWorkspace(db: Db, workspaceId: string, { statuses, before, since }: RunSpan) {
  return db
    .selectFrom(runsWith(statuses))
    .where('workspace_id', '=', workspaceId)
    .$if(areBad(statuses), (query) => query.where(isBad))
    .$if(since !== null, (query) => query.where('scheduled_for', '>=', since))
    .$if(before !== null, (query) =>
      query.where(sql<boolean>`${place} < ${valuesOf(before as RunPlace)}`),
    )
    .orderBy(newestFirst);
}

function areBad(statuses: readonly RunStatus[]): boolean {
  return statuses.every((status) => badRunStatuses.includes(status));
}

/** Where a list must stop so that it reads `rows` rows at most; undefined if it ends before. */
export async function findRunStop(
  db: Db,
  workspaceId: string,
  { rows, ...span }: RunSpan & { rows: number },
): Promise<RunPlace | undefined> {
  return await runsOfWorkspace(db, workspaceId, span)
    .select(['scheduled_for as scheduledFor', 'job_id as jobId', 'source'])
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
}

/** What is asked of a run's job. Not a join: a database would then read every run before it orders them. */
function ofJob<Value>(asked: keyof JobRow | RawBuilder<Value>): RawBuilder<Value> {
  const what = typeof asked === 'string' ? sql.ref(`jobs.${asked}`) : asked;
  return sql<Value>`(select ${what} from jobs where jobs.id = runs.job_id)`;
}

interface RunsPage extends RunSpan {
  selector?: Selector | null;
  downTo: RunPlace | undefined;
  limit: number;
}

/** A page of the runs with these statuses, of jobs that fit a selector, without those of deleted jobs, down to a place. */
export async function listRunsOfWorkspace(
  db: Db,
  workspaceId: string,
  { selector = null, downTo, limit, ...span }: RunsPage,
): Promise<ListedRun[]> {
  // A place to stop at is no older than `since`. With both, SQLite would read down to `since`.
  const since = downTo === undefined ? span.since : null;
  const rows = await runsOfWorkspace(db, workspaceId, { ...span, since })
    .select(summaryColumns)
    .select(['runs.job_id as jobId', ofJob<string>('name').as('jobName')])
    .where('status', 'in', span.statuses)
    .where(ofJob('deleted_at'), 'is', null)
    .$if(selector !== null, (query) => query.where(ofJob(labelsFit(selector ?? []))))
    .$if(downTo !== undefined, (query) =>
      query.where(sql<boolean>`${place} >= ${valuesOf(downTo as RunPlace)}`),
    )
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...summaryOf(row), jobId: row.jobId, jobName: row.jobName }));
}
