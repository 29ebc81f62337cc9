/** The keys by which definitions know jobs, monitors and channels. */

import { sql } from 'kysely';
import { idList } from './dialect.ts';
import type { Db } from './store.ts';

/** The tables whose rows may have a key. */
export type ManagedTable = 'jobs' | 'monitors' | 'channels';

/** The id of the row with this key in this workspace, or undefined. */
export async function findManagedId(
  db: Db,
  table: ManagedTable,
  { workspaceId, key }: { workspaceId: string; key: string },
): Promise<string | undefined> {
  const row = await live(db, table, workspaceId)
    .select('id')
    .where('managed_key', '=', key)
    .executeTakeFirst();
  return row?.id;
}

/** The keys of those rows of a workspace that are not deleted, by id and in its order; null for one made by hand. */
export async function findManagedKeys(
  db: Db,
  table: ManagedTable,
  { workspaceId, ids }: { workspaceId: string; ids: readonly string[] },
): Promise<Map<string, string | null>> {
  const rows = await live(db, table, workspaceId)
    .select(['id', 'managed_key as key'])
    .where('id', 'in', idList(ids))
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** Gives a row its key. Another one of the workspace must not have it. */
export async function setManagedKey(
  db: Db,
  table: ManagedTable,
  id: string,
  key: string,
): Promise<void> {
  await db.updateTable(table).set({ managed_key: key }).where('id', '=', id).execute();
}

/** A row, and its key; null for one made by hand. */
export interface KeyedRow {
  id: string;
  key: string | null;
  name: string;
  /** The id of the job that a job runs after. */
  after: string | null;
}

/** A page of a workspace's rows, newest first: those with a key, or all. `before` is the last id of the previous page. */
export async function listManagedKeys(
  db: Db,
  table: ManagedTable,
  workspaceId: string,
  page: { limit: number; before: string | null; isKeyNeeded: boolean },
): Promise<KeyedRow[]> {
  const after = table === 'jobs' ? sql<string | null>`after_job_id` : sql<null>`null`;
  let query = live(db, table, workspaceId)
    .select(['id', 'managed_key as key', 'name', after.as('after')])
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.isKeyNeeded) query = query.where('managed_key', 'is not', null);
  if (page.before !== null) query = query.where('id', '<', page.before);
  return await query.execute();
}

function live(db: Db, table: ManagedTable, workspaceId: string) {
  return db
    .selectFrom(table)
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null);
}
