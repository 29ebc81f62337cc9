/**
 * Rows that people delete, and the rows these own. A deleted row is hidden at once (`deleted_at`). Later it is
 * removed in small steps: first the rows it owns, then the row itself. To make another table deletable, give it
 * a `deleted_at`, add it here, and prune it (engine/upkeep/prunings.ts).
 */

import { sql } from 'kysely';
import { rowPlace } from './dialect.ts';
import type { Db } from './store.ts';
import type { Schema } from './schema.ts';

/** Rows of `table` whose column `by` names the row that owns them. */
interface Owned {
  table: keyof Schema;
  by: string;
}

/** The tables with rows that people delete, and what these own. A test compares it with the schema. */
export const ownedBy = {
  jobs: [
    { table: 'runs', by: 'job_id' },
    { table: 'schedule_spans', by: 'job_id' },
    { table: 'alert_states', by: 'subject_id' },
  ],
  monitors: [
    { table: 'pings', by: 'monitor_id' },
    { table: 'alert_states', by: 'subject_id' },
  ],
  channels: [
    { table: 'deliveries', by: 'channel_id' },
    { table: 'alert_states', by: 'channel_id' },
    { table: 'digests', by: 'channel_id' },
  ],
  workspaces: [
    { table: 'jobs', by: 'workspace_id' },
    { table: 'monitors', by: 'workspace_id' },
    { table: 'channels', by: 'workspace_id' },
    { table: 'sessions', by: 'workspace_id' },
    { table: 'sign_in_codes', by: 'workspace_id' },
    { table: 'keys', by: 'workspace_id' },
    { table: 'badges', by: 'workspace_id' },
    { table: 'audit_entries', by: 'workspace_id' },
    { table: 'made_once', by: 'workspace_id' },
  ],
} as const satisfies Record<string, readonly Owned[]>;

export type DeletableTable = keyof typeof ownedBy;

/** The id of a deleted row that is not removed yet, or undefined. */
export async function findDeleted(db: Db, table: DeletableTable): Promise<string | undefined> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('deleted_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Removes up to `limit` rows that a deleted row owns, and the row itself once it owns none. Owned rows that
 * people delete too are left alone: their owner stays until they are removed. Returns how many rows it removed.
 */
export async function removeDeleted(
  tx: Db,
  table: DeletableTable,
  id: string,
  limit: number,
): Promise<number> {
  let removed = 0;
  for (const owned of ownedBy[table]) {
    if (!(owned.table in ownedBy)) removed += await removeOwned(tx, owned, id, limit - removed);
    else if (await isAnyOwned(tx, owned, id)) return removed;
    if (removed >= limit) return removed;
  }
  await tx.deleteFrom(table).where('id', '=', id).execute();
  return removed + 1;
}

async function isAnyOwned(tx: Db, { table, by }: Owned, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where ${sql.ref(by)} = ${id} limit 1`.execute(tx);
  return rows.length > 0;
}

async function removeOwned(
  tx: Db,
  { table, by }: Owned,
  id: string,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${rowPlace} in (
      select ${rowPlace} from ${sql.table(table)} where ${sql.ref(by)} = ${id} limit ${limit})`.execute(
    tx,
  );
  return Number(numAffectedRows);
}
