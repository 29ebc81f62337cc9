/** Sealed values, whatever they are of: what changing the master key goes through. */

import { sql } from 'kysely';
import type { SealedTable } from '../domain/vault.ts';
import type { Db } from './open.ts';

/** The sealed value of a row. */
export interface SealedValue {
  id: string;
  sealed: string;
}

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
    select ${id} as id, sealed from ${sql.table(table)}
    where sealed is not null and substr(sealed, 4, 16) <> ${keyId} and ${id} > ${afterId}
    order by ${id} limit ${limit}`.execute(db);
  return found.rows;
}

/** Keeps another sealed value of a row. */
export async function replaceSealed(
  db: Db,
  table: SealedTable,
  { id, sealed }: SealedValue,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set sealed = ${sealed}
    where ${sql.ref(idColumns[table])} = ${id}`.execute(db);
}

/** Lets this connection write zeros over what it frees from now on. */
export async function overwriteFreed(db: Db): Promise<void> {
  await sql`pragma secure_delete = on`.execute(db);
}
