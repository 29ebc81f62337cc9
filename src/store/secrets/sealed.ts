/** Sealed values, whatever they are of: what changing the master key goes through. */

import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { givenUp } from '../../domain/secrets/vault.ts';
import type { SealedTable } from '../../domain/secrets/vault.ts';
import type { Db } from '../database/open.ts';

/** The sealed value of a row, and what it is bound to there. */
export interface SealedValue {
  id: string;
  /** Empty where the table has no such column. */
  workspaceId: string;
  url: string;
  sealed: string;
  /** 1 if people have deleted its row, which is removed in time; else 0. */
  isDeleted: 0 | 1;
}

/** What a sealed value is bound to beside its id, as columns of the table; and whether its row is deleted. */
const bonds = {
  jobs: sql`workspace_id as "workspaceId", url, deleted_at is not null as "isDeleted"`,
  channels: sql`workspace_id as "workspaceId", '' as url, deleted_at is not null as "isDeleted"`,
  signing_keys: sql`'' as "workspaceId", '' as url, 0 as "isDeleted"`,
} satisfies Record<SealedTable, RawBuilder<unknown>>;

const idColumns = { jobs: 'id', signing_keys: 'key_id', channels: 'id' } satisfies Record<
  SealedTable,
  string
>;

/** Values that another key than this one sealed, in the order of their ids. */
export async function findSealedByOthers(
  db: Db,
  table: SealedTable,
  { keyId, afterId, limit }: { keyId: string; afterId: string; limit: number },
): Promise<SealedValue[]> {
  const id = sql.ref(idColumns[table]);
  const found = await sql<SealedValue>`
    select ${id} as id, ${bonds[table]}, sealed from ${sql.table(table)}
    where sealed is not null and substr(sealed, 4, 16) <> ${keyId} and ${id} > ${afterId}
    order by ${id} limit ${limit}`.execute(db);
  return found.rows;
}

/** Keeps another sealed value of a row. */
export async function replaceSealed(
  db: Db,
  table: SealedTable,
  { id, sealed }: Pick<SealedValue, 'id' | 'sealed'>,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set sealed = ${sealed}
    where ${sql.ref(idColumns[table])} = ${id}`.execute(db);
}

/** Lets this connection write zeros over what it frees from now on. */
export async function overwriteFreed(db: Db): Promise<void> {
  await sql`pragma secure_delete = on`.execute(db);
}

/** A job or channel that something is sealed of, as people know it. */
export interface SealedOwner {
  id: string;
  name: string;
  /** The name of its workspace. */
  workspace: string;
}

export interface SealedRow extends SealedOwner {
  value: SealedValue;
}

/** Jobs or channels that something is sealed of, in the order of their ids. */
export async function listSealedRows(
  db: Db,
  table: 'jobs' | 'channels',
  { afterId, limit }: { afterId: string; limit: number },
): Promise<SealedRow[]> {
  const { rows } = await sql<SealedOwner & SealedValue>`
    select id, name, ${bonds[table]}, sealed,
      (select workspaces.name from workspaces where workspaces.id = workspace_id) as workspace
    from ${sql.table(table)}
    where sealed is not null and id > ${afterId}
    order by id limit ${limit}`.execute(db);
  return rows.map(({ id, name, workspace, ...value }) => ({
    id,
    name,
    workspace,
    value: { id, ...value },
  }));
}

/** Gives up what is sealed of a job, and pauses it. */
export async function giveUpJob(db: Db, id: string): Promise<void> {
  const set = { sealed: givenUp, paused: 1, next_run_at: null };
  await db.updateTable('jobs').set(set).where('id', '=', id).execute();
}

/** Gives up the config of a channel, and disables it. */
export async function giveUpChannel(db: Db, id: string): Promise<void> {
  await db
    .updateTable('channels')
    .set({ sealed: givenUp, enabled: 0 })
    .where('id', '=', id)
    .execute();
}
