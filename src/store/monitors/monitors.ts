/** Monitors: what people set, and what pings and time make of them. */

import { sql } from 'kysely';
import { labelsIn } from '../../domain/labels.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { columnsFor, selectionOf, toRow } from '../database/columns.ts';
import { earliest } from '../database/earliest.ts';
import { freeRowLock, idList, locksRows, rowLock } from '../database/dialect.ts';
import { onPage, type LabelledPage } from '../database/named.ts';
import type { Db } from '../database/store.ts';
import { columnsOf, statementForEach, type Parameters } from '../database/statement.ts';
import type { SweepPage } from '../database/sweep.ts';

/** Set once. */
const fixed = {
  id: 'id',
  workspaceId: 'workspace_id',
  pingId: 'ping_id',
  createdAt: 'created_at',
} as const;

/** What people set. */
const editable = columnsFor(monitorFields);

/** What pings and time change. */
const state = {
  health: 'health',
  healthSince: 'health_since',
  missedDueAt: 'missed_due_at',
  nextDueAt: 'next_due_at',
  nextCheckAt: 'next_check_at',
  startedAt: 'started_at',
  lastPingAt: 'last_ping_at',
  lastDurationMs: 'last_duration_ms',
} as const;

/** All columns of a monitor but the number of its newest ping. */
export const monitorColumns = selectionOf({ ...fixed, ...editable, ...state });

/** Keeps a new monitor. */
export async function insertMonitor(db: Db, monitor: Monitor): Promise<void> {
  const row = toRow({ ...fixed, ...editable, ...state }, monitor);
  await db.insertInto('monitors').values(row).execute();
}

/** Keeps what people changed of a monitor, and what follows from it. */
export async function updateMonitor(db: Db, monitor: Monitor): Promise<void> {
  await db
    .updateTable('monitors')
    .set(toRow({ ...editable, ...state }, monitor))
    .where('id', '=', monitor.id)
    .execute();
}

const stateColumns = Object.values(state);
type StateRow = ReturnType<typeof stateRowOf>;

function stateRowOf(monitor: Monitor) {
  return toRow({ id: 'id', ...state }, monitor);
}

const updateState = statementForEach((db: Db, of: Parameters<StateRow>) =>
  db.updateTable('monitors').set(columnsOf(of, stateColumns)).where('id', '=', of('id')).compile(),
);

/** Keeps what pings and time have changed of monitors. */
export async function keepMonitorStates(db: Db, monitors: readonly Monitor[]): Promise<void> {
  await updateState(db, monitors.map(stateRowOf));
}

/** A monitor with the number of its newest ping. */
export interface PingedMonitor {
  monitor: Monitor;
  pingCount: number;
}

const updatePinged = statementForEach((db: Db, of: Parameters<StateRow & { ping_count: number }>) =>
  db
    .updateTable('monitors')
    .set(columnsOf(of, [...stateColumns, 'ping_count']))
    .where('id', '=', of('id'))
    .compile(),
);

/** Keeps what pings have changed of monitors, and how many pings each has now. */
export async function keepPingedMonitors(db: Db, pinged: readonly PingedMonitor[]): Promise<void> {
  const rows = pinged.map(({ monitor, pingCount }) =>
    Object.assign(stateRowOf(monitor), { ping_count: pingCount }),
  );
  await updatePinged(db, rows);
}

/** Hides a monitor for good. It is removed later, with its pings. */
export async function markMonitorDeleted(db: Db, id: string, now: number): Promise<void> {
  await monitorsToDelete(db, now).where('id', '=', id).execute();
}

/** Hides all monitors of a workspace in the same way. */
export async function markMonitorsDeleted(db: Db, workspaceId: string, now: number): Promise<void> {
  await monitorsToDelete(db, now).where('workspace_id', '=', workspaceId).execute();
}

function monitorsToDelete(db: Db, now: number) {
  return db
    .updateTable('monitors')
    .set({ deleted_at: now, next_due_at: null, next_check_at: null })
    .where('deleted_at', 'is', null);
}

/** The monitor with this id in this workspace, or undefined. */
export async function findMonitor(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Monitor | undefined> {
  const row = await live(db)
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .$if(locksRows(db), (query) => query.modifyEnd(rowLock('monitors')))
    .executeTakeFirst();
  return row && monitorOf(row);
}

/** These monitors by id, without deleted ones. */
export async function findPingedMonitors(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, PingedMonitor>> {
  const rows = await live(db)
    .select('ping_count as pingCount')
    .where('id', 'in', idList(ids))
    .orderBy('id')
    .$if(locksRows(db), (query) => query.modifyEnd(rowLock('monitors')))
    .execute();
  return new Map(
    rows.map(({ pingCount, ...row }) => [row.id, { monitor: monitorOf(row), pingCount }]),
  );
}

/** A page of a workspace's monitors that meet the condition, newest first. */
export async function listMonitors(
  db: Db,
  workspaceId: string,
  page: LabelledPage,
  condition = sql<boolean>`true`,
): Promise<PingedMonitor[]> {
  const rows = await live(db)
    .select('ping_count as pingCount')
    .where('workspace_id', '=', workspaceId)
    .where(onPage(page))
    .where(condition)
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
  return rows.map(({ pingCount, ...row }) => ({ monitor: monitorOf(row), pingCount }));
}

/** Monitors to check by `now` (epoch milliseconds), the longest due first. */
export async function findMonitorsToCheck(db: Db, now: number, limit: number): Promise<Monitor[]> {
  const rows = await db
    .selectFrom('monitors')
    .select(monitorColumns)
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .$if(locksRows(db), (query) => query.modifyEnd(freeRowLock('monitors')))
    .execute();
  return rows.map(monitorOf);
}

/** When the next monitor is to be checked, in epoch milliseconds; null if none is. */
export async function findEarliestCheck(db: Db): Promise<number | null> {
  return await earliest(db, 'monitors', 'next_check_at');
}

/** A page of the monitors that expect a ping. */
export async function findExpectingMonitors(
  db: Db,
  { afterId, limit }: SweepPage,
): Promise<Monitor[]> {
  const rows = await db
    .selectFrom('monitors')
    .select(monitorColumns)
    .where('id', '>', afterId)
    .where('next_due_at', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(monitorOf);
}

function live(db: Db) {
  return db.selectFrom('monitors').select(monitorColumns).where('deleted_at', 'is', null);
}

/** The monitor that a row holds. */
export function monitorOf(
  row: Omit<Monitor, 'paused' | 'labels'> & { paused: number; labels: string | null },
): Monitor {
  return { ...row, paused: row.paused === 1, labels: labelsIn(row.labels) };
}
