/** Lists of monitors by status and text, newest first; they stop as lists of jobs do (`jobs.ts`). */

import { sql, type RawBuilder } from 'kysely';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorStatus } from '../../domain/monitors/status.ts';
import type { Search } from '../../domain/search.ts';
import type { Db } from '../database/store.ts';
import { monitorColumns, monitorOf } from '../monitors/monitors.ts';
import { isFound } from './search.ts';

/** A monitor in a list, with the number of its newest ping. */
export interface ListedMonitor {
  monitor: Monitor;
  pingCount: number;
}

/** What a list leaves out; `now` in epoch milliseconds. */
export interface MonitorCondition {
  status: MonitorStatus | null;
  search: Search | null;
  now: number;
}

function monitorsBefore(db: Db, workspaceId: string, before: string | null) {
  return db
    .selectFrom('monitors')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc');
}

/** The id at which a list must stop so that it reads `rows` rows at most; undefined if it ends before. */
export async function findMonitorStop(
  db: Db,
  workspaceId: string,
  { before, rows }: { before: string | null; rows: number },
): Promise<string | undefined> {
  const row = await monitorsBefore(db, workspaceId, before)
    .select('id')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  return row?.id;
}

/** A page of a workspace's monitors before an id, down to another one. */
export async function listMonitorsBy(
  db: Db,
  workspaceId: string,
  page: MonitorCondition & { before: string | null; downTo: string | undefined; limit: number },
): Promise<ListedMonitor[]> {
  const { status, search, now, before, downTo, limit } = page;
  const rows = await monitorsBefore(db, workspaceId, before)
    .select(monitorColumns)
    .select('ping_count as pingCount')
    .$if(status !== null, (query) => query.where(hasStatus(status ?? 'up', now)))
    .$if(search !== null, (query) => query.where(isFound(search as Search, ['name'])))
    .$if(downTo !== undefined, (query) => query.where('id', '>=', downTo ?? ''))
    .limit(limit)
    .execute();
  return rows.map(({ pingCount, ...row }) => ({ monitor: monitorOf(row), pingCount }));
}

/** The status as `monitorStatus` in `domain/monitors/monitor.ts` decides it. */
function hasStatus(status: MonitorStatus, now: number): RawBuilder<boolean> {
  if (status === 'paused') return sql<boolean>`paused = 1`;
  if (status === 'new' || status === 'down') {
    return sql<boolean>`paused = 0 and health = ${status}`;
  }
  const isDue = sql<boolean>`(next_due_at is not null and next_due_at <= ${now})`;
  const isLate = status === 'late' ? isDue : sql<boolean>`not ${isDue}`;
  return sql<boolean>`paused = 0 and health = 'up' and ${isLate}`;
}
