/** How many jobs and monitors a workspace has in each state. */

import { sql, type RawBuilder } from 'kysely';
import type { JobState } from '../../domain/jobs/listed-job.ts';
import type { Db } from '../database/store.ts';
import { isInState } from './jobs.ts';

/** Counts up to `limit` jobs after an id in their index, all or those in a state, without reading the jobs. `lastId` is the last one counted. */
export async function countJobs(
  db: Db,
  workspaceId: string,
  counted: Exclude<JobState, 'up'> | 'all',
  { afterId, limit }: { afterId: string; limit: number },
): Promise<{ count: number; lastId: string }> {
  const step = db
    .selectFrom('jobs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .$if(counted !== 'all', (query) => query.where(isInState[counted === 'all' ? 'up' : counted]))
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit);
  const row = await db
    .selectFrom(step.as('step'))
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('id').as('lastId')])
    .executeTakeFirstOrThrow();
  return { count: row.count, lastId: row.lastId ?? afterId };
}

export interface MonitorCounts {
  total: number;
  down: number;
  late: number;
  up: number;
  paused: number;
  new: number;
}

/** Counts the newest `limit` monitors by their status at `now`, in epoch milliseconds. */
export async function countMonitors(
  db: Db,
  workspaceId: string,
  { now, limit }: { now: number; limit: number },
): Promise<MonitorCounts> {
  const newest = db
    .selectFrom('monitors')
    .select(['paused', 'health', 'next_due_at as dueAt'])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit);
  const isDue = sql`paused = 0 and health = 'up' and "dueAt" <= ${now}`;
  const row = await db
    .selectFrom(newest.as('newest'))
    .select((of) => [
      of.fn.countAll<number>().as('total'),
      countOf(sql`paused = 1`).as('paused'),
      countOf(sql`paused = 0 and health = 'new'`).as('new'),
      countOf(sql`paused = 0 and health = 'down'`).as('down'),
      countOf(sql`paused = 0 and health = 'up'`).as('up'),
      countOf(isDue).as('late'),
    ])
    .executeTakeFirstOrThrow();
  return { ...row, up: row.up - row.late };
}

function countOf(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`count(case when ${condition} then 1 end)`;
}
