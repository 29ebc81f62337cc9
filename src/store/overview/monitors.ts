/** Lists of monitors by status and text, newest first; they stop as lists of jobs do (`jobs.ts`). */

import { sql, type RawBuilder } from 'kysely';
import type { MonitorStatus } from '../../domain/monitors/status.ts';
import type { Search } from '../../domain/search.ts';
import type { Db } from '../database/store.ts';
import { afterAllIds, type LabelledPage } from '../database/named.ts';
import { listMonitors, type PingedMonitor } from '../monitors/monitors.ts';
import { isFound } from './search.ts';

/** What a list is limited to; `now` in epoch milliseconds. */
export interface MonitorPage extends Pick<LabelledPage, 'before' | 'downTo' | 'limit'> {
  status: MonitorStatus | null;
  search: Search | null;
  now: number;
}

/** The id at which a list must stop so that it reads `rows` rows at most; undefined if it ends before. */
export async function findMonitorStop(
  db: Db,
  workspaceId: string,
  { before, rows }: { before: string | null; rows: number },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('monitors')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('id', '<', before ?? afterAllIds)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  return row?.id;
}

/** A page of a workspace's monitors before an id, down to another one. */
export async function listMonitorsBy(
  db: Db,
  workspaceId: string,
  { status, search, now, ...page }: MonitorPage,
): Promise<PingedMonitor[]> {
  const conditions = [
    sql`true`,
    ...(status === null ? [] : [hasStatus(status, now)]),
    ...(search === null ? [] : [isFound(search, ['name'])]),
  ];
  const condition = sql<boolean>`${sql.join(conditions, sql` and `)}`;
  return await listMonitors(db, workspaceId, { name: null, idPrefix: null, ...page }, condition);
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
