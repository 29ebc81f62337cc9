/** The history of a job for people: its runs by status, and their figures. A request reads a bounded number of rows. */

import { sql } from 'kysely';
import type { RunFigures } from '../../domain/runs/days.ts';
import { badRunStatuses, type RunStatus, type RunSummary } from '../../domain/runs/run.ts';
import type { Db } from '../database/store.ts';
import { everyRun, isBad, isOfOwnDueTime, runsWith } from './runs.ts';
import { summaryColumns, summaryOf, type RunPosition } from './runs.ts';

export interface HistoryQuery {
  /** Only runs with one of these; null for all. */
  statuses: readonly RunStatus[] | null;
  /** Where the previous page ended, or a moment before which runs were due. */
  before: RunPosition | null;
  /** The last position to read; null for the whole history. */
  downTo: RunPosition | null;
  limit: number;
}

/** A job's runs, newest first. Those that were no success come from an index of their own. */
export async function listHistory(
  db: Db,
  jobId: string,
  query: HistoryQuery,
): Promise<RunSummary[]> {
  const { statuses, downTo, limit } = query;
  let rows = runsBefore(db, jobId, query).select(summaryColumns).limit(limit);
  if (downTo !== null) {
    rows = rows.where(sql<boolean>`(scheduled_for, source) >= ${positionOf(downTo)}`);
  }
  if (statuses !== null) rows = rows.where('status', 'in', statuses);
  return (await rows.execute()).map(summaryOf);
}

/** Runs that one answer tells of a due time. */
const mostFor = 5;

/** Runs of a job that stand for a due time of a run of its schedule, or for one that this has missed; the newest first. */
export async function findRunsFor(
  db: Db,
  jobId: string,
  { scheduledFor, missed }: Pick<RunSummary, 'scheduledFor' | 'missed'>,
): Promise<RunSummary[]> {
  const rows = await db
    .selectFrom('runs')
    .select(summaryColumns)
    .where('job_id', '=', jobId)
    .where('due_at', '>=', scheduledFor)
    .where('due_at', '<=', missed?.last ?? scheduledFor)
    .where(isOfOwnDueTime)
    .orderBy('due_at', 'desc')
    .limit(mostFor)
    .execute();
  return rows.map(summaryOf).toSorted((one, other) => other.scheduledFor - one.scheduledFor);
}

/** A run of a job that waits to be called for a due time, or is; else one that succeeded for it; undefined if there is none. */
export async function findDoneFor(
  db: Db,
  jobId: string,
  dueAt: number,
): Promise<RunSummary | undefined> {
  // Each by its own index: asked for together, all runs of the job would be read.
  const by = (column: 'due_at' | 'scheduled_for') =>
    db
      .selectFrom(everyRun)
      .select(summaryColumns)
      .where('job_id', '=', jobId)
      .where(column, '=', dueAt)
      .where('status', 'in', ['queued', 'running', 'success']);
  const own = await by('scheduled_for').where('source', '=', 'scheduled').execute();
  const rows = [...(await by('due_at').execute()), ...own];
  const found = rows.map(summaryOf);
  return found.find(({ status }) => status !== 'success') ?? found[0];
}

/** When the oldest kept run of a job was due; undefined if none is kept. */
export async function findOldestDueTime(db: Db, jobId: string): Promise<number | undefined> {
  const runs = db.selectFrom(everyRun).select('scheduled_for as dueAt').where('job_id', '=', jobId);
  return (await runs.orderBy('scheduled_for').limit(1).executeTakeFirst())?.dueAt;
}

/** Where the search of `listHistory` has read this many runs; null if there are fewer. It reads the index alone. */
export async function findEndOfStep(
  db: Db,
  jobId: string,
  query: Pick<HistoryQuery, 'statuses' | 'before'>,
  runs: number,
): Promise<RunPosition | null> {
  const row = await runsBefore(db, jobId, query)
    .select(['scheduled_for as scheduledFor', 'source'])
    .limit(1)
    .offset(runs - 1)
    .executeTakeFirst();
  return row ?? null;
}

/** The figures of a job's runs that were due from `from` on (epoch milliseconds), newest first. */
export async function listFigures(
  db: Db,
  jobId: string,
  { from, before, limit }: { from: number; before: RunPosition | null; limit: number },
): Promise<(RunFigures & RunPosition)[]> {
  return await runsBefore(db, jobId, { statuses: null, before })
    .select(['scheduled_for as scheduledFor', 'source', 'status', 'duration_ms as durationMs'])
    .where('scheduled_for', '>=', from)
    .limit(limit)
    .execute();
}

/** Without a bound SQLite takes the narrower index of all runs, even for runs that were no success. */
const afterAllRuns: RunPosition = { scheduledFor: Number.MAX_SAFE_INTEGER, source: 'scheduled' };

function runsBefore(
  db: Db,
  jobId: string,
  { statuses, before }: Pick<HistoryQuery, 'statuses' | 'before'>,
) {
  let query = db
    .selectFrom(runsWith(statuses))
    .where('job_id', '=', jobId)
    .orderBy('scheduled_for', 'desc')
    .orderBy('source', 'desc');
  if (statuses?.every((status) => badRunStatuses.includes(status)) === true) {
    query = query.where(isBad);
  }
  const bound = positionOf(before ?? afterAllRuns);
  return query.where(sql<boolean>`(scheduled_for, source) < ${bound}`);
}

function positionOf({ scheduledFor, source }: RunPosition) {
  return sql`(${scheduledFor}, ${source})`;
}
