/** The sealed values of all tables that have them, for changing the master key. */

import { sql, type RawBuilder } from 'kysely';
import { discarded, type SealedTable } from '../../domain/secrets/vault.ts';
import { keepSpans } from '../jobs/schedule-spans.ts';
import type { Db } from '../database/store.ts';
import type { SweepPage } from '../database/sweep.ts';

/** The sealed value of a row, and the columns that it is bound to. */
export interface SealedValue {
  id: string;
  /** Empty where the table has no such column. */
  workspaceId: string;
  url: string;
  sealed: string;
  /** 1 if the row was deleted but is not removed yet, else 0. */
  isDeleted: 0 | 1;
  /** The names of the row and of its workspace; empty for a key of jobd itself. */
  name: string;
  workspace: string;
}

const workspaceName = sql`(select name from workspaces where workspaces.id = workspace_id)`;
const owned = sql`workspace_id as "workspaceId", deleted_at is not null as "isDeleted", name,
  ${workspaceName} as workspace`;

const unowned = sql`'' as "workspaceId", 0 as "isDeleted", '' as name, '' as workspace, '' as url`;

/** The columns of `SealedValue`, except the id and the value. */
const columns: Record<SealedTable, RawBuilder<unknown>> = {
  jobs: sql`${owned}, url`,
  channels: sql`${owned}, '' as url`,
  signing_keys: unowned,
  report_keys: unowned,
  call_keys: unowned,
};

const idColumns: Record<SealedTable, string> = {
  jobs: 'id',
  channels: 'id',
  signing_keys: 'key_id',
  report_keys: 'id',
  call_keys: 'key_id',
};

/** A page of the sealed values of a table, by id; with `exceptOf`, only those that other keys sealed. */
export async function findSealed(
  db: Db,
  table: SealedTable,
  { afterId, limit }: SweepPage,
  exceptOf = '',
): Promise<SealedValue[]> {
  const id = sql.ref(idColumns[table]);
  const { rows } = await sql<SealedValue>`
    select ${id} as id, ${columns[table]}, sealed from ${sql.table(table)}
    where sealed is not null and substr(sealed, 4, 16) <> ${exceptOf} and ${id} > ${afterId}
    order by ${id} limit ${limit}`.execute(db);
  return rows;
}

/** Replaces the sealed value of a row, unless somebody else has set another one. Returns whether it did. */
export async function replaceSealed(
  db: Db,
  table: SealedTable,
  { id, sealed: before }: Pick<SealedValue, 'id' | 'sealed'>,
  sealed: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set sealed = ${sealed}
    where ${sql.ref(idColumns[table])} = ${id} and sealed = ${before}`.execute(db);
  return numAffectedRows === 1n;
}

/** Discards the headers and body of a job, and pauses it. */
export async function discardJobSecrets(tx: Db, id: string, now: number): Promise<void> {
  const { next_run_at: nextDueAt } = await tx
    .selectFrom('jobs')
    .select('next_run_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const ended = { reason: 'paused', nextDueAt } as const;
  await keepSpans(tx, [{ jobId: id, at: now, ended, begun: null }]);
  const set = { sealed: discarded, paused: 1, next_run_at: null };
  await tx.updateTable('jobs').set(set).where('id', '=', id).execute();
}

/** Discards the config of a channel, and disables it. */
export async function discardChannelConfig(db: Db, id: string): Promise<void> {
  const set = { sealed: discarded, enabled: 0 };
  await db.updateTable('channels').set(set).where('id', '=', id).execute();
}
