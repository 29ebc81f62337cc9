/** Pings: kept in batches as they come, read back in pages, removed when they are old. */

import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import { pingsKept } from '../domain/ping.ts';
import type { Ping } from '../domain/ping.ts';
import { idList, numberOf, rowsOf, textOf } from './dialect.ts';
import { forgetSubject } from './alerted.ts';
import type { PingedMonitor } from './monitor-states.ts';
import { monitorOf } from './monitors.ts';
import type { Db } from './open.ts';
import type { PingRow } from './schema.ts';
import { statement } from './statement.ts';
import type { Parameters } from './statement.ts';

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

/** Whether there is anything that `removeOldPings` would remove. */
export async function hasOldPings(db: Db): Promise<boolean> {
  return (await findWithOldPings(db)) !== undefined;
}

/**
 * Removes up to `limit` of a monitor's oldest pings, down to those that are kept; of a deleted monitor
 * all, and the monitor itself when none is left. Returns how many were removed, a monitor counted too.
 */
export async function removeOldPings(db: Db, limit: number): Promise<number> {
  const row = await findWithOldPings(db);
  if (row === undefined) return 0;
  const isDeleted = row.deleted_at !== null;
  const goal = isDeleted ? row.ping_count : row.ping_count - pingsKept;
  const upTo = Math.min(goal, row.pings_removed + limit);
  const { numDeletedRows } = await db
    .deleteFrom('pings')
    .where('monitor_id', '=', row.id)
    .where('number', '<=', upTo)
    .executeTakeFirst();
  const removed = Number(numDeletedRows);
  if (isDeleted && upTo === goal) {
    await forgetSubject(db, row.id);
    await db.deleteFrom('monitors').where('id', '=', row.id).execute();
    return removed + 1;
  }
  await db
    .updateTable('monitors')
    .set({ pings_removed: upTo, has_old_pings: upTo < goal ? 1 : 0 })
    .where('id', '=', row.id)
    .execute();
  return removed;
}

async function findWithOldPings(db: Db) {
  return await db
    .selectFrom('monitors')
    .select(['id', 'ping_count', 'pings_removed', 'deleted_at'])
    .where('has_old_pings', '=', sql.lit(1))
    .limit(1)
    .executeTakeFirst();
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
