/** Pings: kept in batches, the newest of each monitor, and read back in pages. */

import { pingsKept, type Ping } from '../../domain/monitors/ping.ts';
import { selectionOf, toRow } from '../database/columns.ts';
import type { Db } from '../database/store.ts';
import { columnsOf, statement, statementForEach, type Parameters } from '../database/statement.ts';
import type { SweepPage } from '../database/sweep.ts';
import type { PingedMonitor } from './monitors.ts';

const monitorByPingId = statement((db: Db, of: Parameters<{ pingId: string }>) =>
  db
    .selectFrom('monitors')
    .select('id')
    .where('ping_id', '=', of('pingId'))
    .where('deleted_at', 'is', null)
    .compile(),
);

/** The id of the monitor with this ping id, or undefined. */
export async function findPinged(db: Db, pingId: string): Promise<string | undefined> {
  const [row] = await monitorByPingId(db, { pingId });
  return row?.id;
}

const columns = {
  id: 'id',
  monitorId: 'monitor_id',
  number: 'number',
  kind: 'kind',
  exitCode: 'exit_code',
  receivedAt: 'received_at',
  durationMs: 'duration_ms',
  body: 'body',
  truncated: 'truncated',
  method: 'method',
} as const;

type Row = ReturnType<typeof pingRowOf>;

function pingRowOf(ping: Ping) {
  return toRow(columns, { ...ping, truncated: Number(ping.truncated) });
}

const insertPing = statementForEach((db: Db, of: Parameters<Row>) =>
  db
    .insertInto('pings')
    .values({ ...columnsOf(of, Object.values(columns)), body: of.bytes('body') })
    .compile(),
);

/** Keeps pings. */
export async function insertPings(db: Db, pings: readonly Ping[]): Promise<void> {
  await insertPing(db, pings.map(pingRowOf));
}

/** Whether a ping is kept. */
export async function isPingKept(db: Db, { id }: Pick<Ping, 'id'>): Promise<boolean> {
  const found = db.selectFrom('pings').select('id').where('id', '=', id);
  return (await found.executeTakeFirst()) !== undefined;
}

/** A page of a monitor's pings, newest first; `before` is the last number of the previous page. */
export async function listPings(
  db: Db,
  monitorId: string,
  page: { limit: number; before: number | null },
): Promise<Ping[]> {
  let query = db
    .selectFrom('pings')
    .select(selectionOf(columns))
    .where('monitor_id', '=', monitorId)
    .orderBy('number', 'desc')
    .limit(page.limit);
  if (page.before !== null) query = query.where('number', '<', page.before);
  const rows = await query.execute();
  return rows.map((row) => Object.assign(row, { truncated: row.truncated === 1 }));
}

const removeUpTo = statementForEach(
  (db: Db, of: Parameters<{ monitorId: string; number: number }>) =>
    db
      .deleteFrom('pings')
      .where('monitor_id', '=', of('monitorId'))
      .where('number', '<=', of('number'))
      .compile(),
);

/** Removes the pings of a monitor up to this number. Returns how many. */
export async function removePingsUpTo(db: Db, monitorId: string, number: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('pings')
    .where('monitor_id', '=', monitorId)
    .where('number', '<=', number)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** The pings of a monitor that are kept: from the number `oldest` to `newest`. */
export interface PingHistory {
  /** Of the monitor. */
  id: string;
  /** Null without any. */
  oldest: number | null;
  newest: number;
}

/** A page of monitors with their pings, without deleted monitors. */
export async function listPingHistories(
  db: Db,
  { afterId, limit }: SweepPage,
): Promise<PingHistory[]> {
  return await db
    .selectFrom('monitors')
    .select(['id', 'ping_count as newest'])
    .select((of) =>
      of
        .selectFrom('pings')
        .select('number')
        .whereRef('monitor_id', '=', 'monitors.id')
        .orderBy('number')
        .limit(1)
        .as('oldest'),
    )
    .where('id', '>', afterId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Removes all but the newest `pingsKept` pings of these monitors. */
export async function removeOldPings(db: Db, pinged: readonly PingedMonitor[]): Promise<void> {
  const surplus = pinged
    .map(({ monitor, pingCount }) => ({ monitorId: monitor.id, number: pingCount - pingsKept }))
    .filter(({ number }) => number > 0);
  await removeUpTo(db, surplus);
}
