import { sql } from 'kysely';
import type { Db } from './store.ts';

/** The columns that say when something is due next, each with an index of its own. */
interface DueColumns {
  alert_states: 'due_at';
  channels: 'next_delivery_at';
  digests: 'due_at';
  monitors: 'next_check_at';
}

/** The earliest time in such a column, of those after `after` if that is given; null if there is none. */
export async function earliest<Table extends keyof DueColumns>(
  db: Db,
  table: Table,
  column: DueColumns[Table],
  after?: number,
): Promise<number | null> {
  const time = sql.ref<number>(column);
  const isIn = after === undefined ? sql`is not null` : sql`> ${after}`;
  const { rows } = await sql<{ at: number }>`
    select ${time} as at from ${sql.table(table)} where ${time} ${isIn} order by ${time} limit 1`.execute(
    db,
  );
  return rows[0]?.at ?? null;
}
