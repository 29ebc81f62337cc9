/** Pings: kept in batches as they come, the newest of each monitor, and read back in pages. */

import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import { pingsKept } from '../../domain/monitors/ping.ts';
import type { Ping } from '../../domain/monitors/ping.ts';
import { idList, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { PingedMonitor } from './monitor-states.ts';
import { monitorOf } from './monitors.ts';
import type { Db } from '../database/open.ts';
import type { PingRow } from '../database/schema.ts';
import { statement, statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';

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

/** Of these monitors, those that are there, by id. */
export async function findPingedMonitors(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, PingedMonitor>> {
  const rows = await db
    .selectFrom('monitors')
    .selectAll()
    .where('id', 'in', idList(ids))
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(
    rows.map((row) => [row.id, { monitor: monitorOf(row), pingCount: row.ping_count }]),
  );
}

/** Keeps pings. */
export async function insertPings(db: Db, pings: readonly Ping[]): Promise<void> {
  if (pings.length === 0) return;
  const elements = pings.map((ping) => ({ ...ping, truncated: Number(ping.truncated) }));
  await sql`
    insert into pings (monitor_id, number, id, kind, exit_code, method, received_at, duration_ms,
                       body, truncated)
    select ${textOf('monitorId')}, ${numberOf('number')}, ${textOf('id')}, ${textOf('kind')},
           ${numberOf('exitCode')}, ${textOf('method')}, ${numberOf('receivedAt')},
           ${numberOf('durationMs')}, ${textOf('body')}, ${numberOf('truncated')}
    from ${rowsOf(elements)}`.execute(db);
}

/** A page of a monitor's pings, newest first; `before` is the last number of the page before. */
export async function listPings(
  db: Db,
  monitorId: string,
  page: { limit: number; before: number | null },
): Promise<Ping[]> {
  let query = db
    .selectFrom('pings')
    .selectAll()
    .where('monitor_id', '=', monitorId)
    .orderBy('number', 'desc')
    .limit(page.limit);
  if (page.before !== null) query = query.where('number', '<', page.before);
  return (await query.execute()).map(pingOf);
}

const removeUpTo = statementForEach(
  (db: Db, of: Parameters<{ monitorId: string; number: number }>) =>
    db
      .deleteFrom('pings')
      .where('monitor_id', '=', of('monitorId'))
      .where('number', '<=', of('number'))
      .compile(),
);

/** Removes the pings of these monitors that are older than the newest `pingsKept`. */
export async function removeOldPings(db: Db, pinged: readonly PingedMonitor[]): Promise<void> {
  const surplus = pinged.map(({ monitor, pingCount }) => ({
    monitorId: monitor.id,
    number: pingCount - pingsKept,
  }));
  await removeUpTo(
    db,
    surplus.filter(({ number }) => number > 0),
  );
}

/** The ping that a row holds. */
function pingOf(row: Selectable<PingRow>): Ping {
  return {
    id: row.id,
    monitorId: row.monitor_id,
    number: row.number,
    kind: row.kind,
    exitCode: row.exit_code,
    receivedAt: row.received_at,
    durationMs: row.duration_ms,
    body: row.body,
    truncated: row.truncated === 1,
    method: row.method,
  };
}
