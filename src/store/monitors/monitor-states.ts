/** What pings and time change of monitors, in batches. */

import { sql } from 'kysely';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { numberOf, rowsOf, textOf } from '../database/dialect.ts';
import { monitorOf } from './monitors.ts';
import type { Db } from '../database/open.ts';

/** Keeps what became of monitors. */
export async function keepMonitorStates(db: Db, monitors: readonly Monitor[]): Promise<void> {
  if (monitors.length === 0) return;
  await sql`
    update monitors set ${changes}
    from ${rowsOf(monitors.map(stateOf))} as changed
    where monitors.id = ${textOf('id', 'changed.value')}`.execute(db);
}

/** A monitor with the number of its newest ping. */
export interface PingedMonitor {
  monitor: Monitor;
  pingCount: number;
}

/** Keeps what became of monitors that were pinged, and how many pings each has now. */
export async function keepPingedMonitors(db: Db, pinged: readonly PingedMonitor[]): Promise<void> {
  if (pinged.length === 0) return;
  const elements = pinged.map(({ monitor, pingCount }) => ({ ...stateOf(monitor), pingCount }));
  await sql`
    update monitors set ${changes}, ping_count = ${numberOf('pingCount', 'changed.value')}
    from ${rowsOf(elements)} as changed
    where monitors.id = ${textOf('id', 'changed.value')}`.execute(db);
}

const changes = sql`
  health = ${textOf('health', 'changed.value')},
  next_due_at = ${numberOf('nextDueAt', 'changed.value')},
  next_check_at = ${numberOf('nextCheckAt', 'changed.value')},
  started_at = ${numberOf('startedAt', 'changed.value')},
  last_ping_at = ${numberOf('lastPingAt', 'changed.value')},
  last_duration_ms = ${numberOf('lastDurationMs', 'changed.value')},
  flipped_at = ${numberOf('flippedAt', 'changed.value')}`;

function stateOf(monitor: Monitor) {
  return {
    id: monitor.id,
    health: monitor.health,
    nextDueAt: monitor.nextDueAt,
    nextCheckAt: monitor.nextCheckAt,
    startedAt: monitor.startedAt,
    lastPingAt: monitor.lastPingAt,
    lastDurationMs: monitor.lastDurationMs,
    flippedAt: monitor.flippedAt,
  };
}

/** Monitors to look at by `now` (epoch milliseconds), the longest due first. */
export async function findMonitorsToCheck(db: Db, now: number, limit: number): Promise<Monitor[]> {
  const rows = await db
    .selectFrom('monitors')
    .selectAll()
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .execute();
  return rows.map(monitorOf);
}

/** When the next monitor is to be looked at, in epoch milliseconds; null if none is. */
export async function findEarliestCheck(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('monitors')
    .select('next_check_at')
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_check_at ?? null;
}

/** Monitors that expect a ping, in the order of their ids. */
export async function findExpectingMonitors(
  db: Db,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<Monitor[]> {
  const rows = await db
    .selectFrom('monitors')
    .selectAll()
    .where('id', '>', afterId)
    .where('next_due_at', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(monitorOf);
}
