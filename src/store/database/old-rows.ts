/**
 * Rows that leave the disk when they are old, and by which time of theirs. To remove those of another table, add it here, with an
 * index, and to engine/upkeep/prunings.ts.
 */

import { sql, type RawBuilder } from 'kysely';
import { rowPlace } from './dialect.ts';
import type { Db } from './store.ts';

/** The time that counts; null in rows that stay, which are found by no index. */
const dateOf = {
  deliveries: 'created_at',
  audit_entries: 'at',
  made_once: 'made_at',
  sessions: 'expires_at',
  sign_in_codes: 'expires_at',
  nodes: 'ended_at',
  schedule_spans: 'until_at',
} as const;

/** A table whose rows are removed when they are old. */
export type DatedTable = keyof typeof dateOf;

/** A delivery that still waits is given up first. */
const isOver: Partial<Record<DatedTable, RawBuilder<unknown>>> = {
  deliveries: sql`and status <> 'pending'`,
};

/** Whether a row is from before a time (epoch milliseconds). */
export async function hasOldRows(db: Db, table: DatedTable, before: number): Promise<boolean> {
  const { rows } = await sql`${oldRows(table, before, 1)}`.execute(db);
  return rows.length > 0;
}

/** Removes up to `limit` rows from before a time, the oldest first. Returns how many. */
export async function removeOldRows(
  tx: Db,
  table: DatedTable,
  before: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${rowPlace} in (${oldRows(table, before, limit)})`.execute(
    tx,
  );
  return Number(numAffectedRows);
}

function oldRows(table: DatedTable, before: number, limit: number): RawBuilder<unknown> {
  const time = sql.ref(dateOf[table]);
  return sql`select ${rowPlace} from ${sql.table(table)}
    where ${time} < ${before} ${isOver[table] ?? sql``} order by ${time} limit ${limit}`;
}
