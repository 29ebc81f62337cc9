/** The runs of a workspace in the order in which they were recorded: that of their ids. */

import type { RunStatus, RunSummary } from '../../domain/runs/run.ts';
import { selectionOf } from '../database/columns.ts';
import { withoutIndex } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';

/** A run in a list, with its job. */
export interface ListedRun extends RunSummary {
  jobId: string;
  jobName: string;
}

/** Its columns, of runs and their jobs. */
export const listedColumns = selectionOf({
  id: 'runs.id',
  jobId: 'runs.job_id',
  jobName: 'jobs.name',
  source: 'source',
  status: 'status',
  scheduledFor: 'scheduled_for',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
  attempts: 'attempts',
  httpStatus: 'http_status',
  durationMs: 'duration_ms',
  error: 'error',
} as const);

/** The ids among which is searched: from `from` up to, and without, `before`. */
interface IdRange {
  from: string;
  before: string;
}

/** Where a search must stop so that it reads `rows` runs at most, whoever they belong to; undefined if it ends before. */
export async function findRecordedStop(
  db: Db,
  { from, before }: IdRange,
  rows: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('runs')
    .select('id')
    .where('id', '>=', from)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  return row?.id;
}

/** The newest runs of a workspace with these statuses, due in a time (epoch milliseconds), without those of deleted jobs. */
export async function listRecorded(
  db: Db,
  workspaceId: string,
  wanted: IdRange & {
    statuses: readonly RunStatus[];
    since: number | null;
    until: number | null;
    limit: number;
  },
): Promise<ListedRun[]> {
  const { from, before, statuses, since, until, limit } = wanted;
  return await db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .select(listedColumns)
    .where('runs.id', '>=', from)
    .where('runs.id', '<', before)
    .where(withoutIndex('jobs.workspace_id'), '=', workspaceId)
    .where('jobs.deleted_at', 'is', null)
    .where('status', 'in', statuses)
    .$if(since !== null, (query) => query.where('scheduled_for', '>=', since))
    .$if(until !== null, (query) => query.where('scheduled_for', '<', until))
    .orderBy('runs.id', 'desc')
    .limit(limit)
    .execute();
}
