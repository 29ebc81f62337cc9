/** Monitors, as people keep them. What pings and time change of them is in `monitor-states.ts`. */

import type { Selectable } from 'kysely';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { Db } from '../database/open.ts';
import type { MonitorRow } from '../database/schema.ts';

/** Keeps a new monitor. */
export async function insertMonitor(db: Db, monitor: Monitor): Promise<void> {
  const { id, workspaceId, pingId, createdAt } = monitor;
  const given = { id, workspace_id: workspaceId, ping_id: pingId, created_at: createdAt };
  await db
    .insertInto('monitors')
    .values({ ...given, ...wishesOf(monitor), ...stateOf(monitor) })
    .execute();
}

/** Keeps what people changed of a monitor, and what follows from it. */
export async function updateMonitor(db: Db, monitor: Monitor): Promise<void> {
  await db
    .updateTable('monitors')
    .set({ ...wishesOf(monitor), ...stateOf(monitor) })
    .where('id', '=', monitor.id)
    .execute();
}

/** Hides a monitor for good; its pings are removed by `removeDeletedMonitors`. */
export async function markMonitorDeleted(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('monitors').set(deletedAt(now)).where('id', '=', id).execute();
}

/** Hides all monitors of a workspace in the same way. */
export async function markMonitorsDeleted(db: Db, workspaceId: string, now: number): Promise<void> {
  await db
    .updateTable('monitors')
    .set(deletedAt(now))
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute();
}

function deletedAt(now: number) {
  return { deleted_at: now, next_due_at: null, next_check_at: null };
}

/** The monitor with this id in this workspace, or undefined. */
export async function findMonitor(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Monitor | undefined> {
  const row = await db
    .selectFrom('monitors')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && monitorOf(row);
}

/** A page of a workspace's monitors, newest first; `before` is the last id of the page before. */
export async function listMonitors(
  db: Db,
  workspaceId: string,
  page: { limit: number; before: string | null },
): Promise<Monitor[]> {
  let query = db
    .selectFrom('monitors')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.before !== null) query = query.where('id', '<', page.before);
  return (await query.execute()).map(monitorOf);
}

/** The columns that people decide. */
function wishesOf(monitor: Monitor) {
  return {
    name: monitor.name,
    schedule_type: monitor.scheduleType,
    cron_expr: monitor.cronExpr,
    timezone: monitor.timezone,
    period_seconds: monitor.periodSeconds,
    grace_seconds: monitor.graceSeconds,
    notes: monitor.notes,
    paused: monitor.paused ? 1 : 0,
  };
}

/** The columns that follow from pings and time. */
function stateOf(monitor: Monitor) {
  return {
    health: monitor.health,
    next_due_at: monitor.nextDueAt,
    next_check_at: monitor.nextCheckAt,
    started_at: monitor.startedAt,
    last_ping_at: monitor.lastPingAt,
    last_duration_ms: monitor.lastDurationMs,
    flipped_at: monitor.flippedAt,
  };
}

/** The monitor that a row holds. */
export function monitorOf(row: Selectable<MonitorRow>): Monitor {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    pingId: row.ping_id,
    scheduleType: row.schedule_type,
    cronExpr: row.cron_expr,
    timezone: row.timezone,
    periodSeconds: row.period_seconds,
    graceSeconds: row.grace_seconds,
    notes: row.notes,
    paused: row.paused === 1,
    health: row.health,
    nextDueAt: row.next_due_at,
    nextCheckAt: row.next_check_at,
    startedAt: row.started_at,
    lastPingAt: row.last_ping_at,
    lastDurationMs: row.last_duration_ms,
    flippedAt: row.flipped_at,
    createdAt: row.created_at,
  };
}
