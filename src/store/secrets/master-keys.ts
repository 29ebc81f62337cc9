/** The ids of the master keys that sealed values in the store; the keys themselves are elsewhere. */

import { locksRows } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';

/** The ids of the keys that values may be sealed with: first the active key, then retired ones that are still needed. */
export async function listMasterKeys(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('master_keys')
    .select('key_id as keyId')
    .orderBy('retired_at', (order) => order.asc().nullsFirst())
    .execute();
  return rows.map(({ keyId }) => keyId);
}

/**
 * The id of the active key. Call it in the transaction that stores the sealed value, so that no value is sealed with a
 * key that was retired meanwhile: the key stays the active one until the transaction ends.
 */
export async function activeMasterKeyId(db: Db): Promise<string> {
  const active = db
    .selectFrom('master_keys')
    .select('key_id as keyId')
    .where('retired_at', 'is', null)
    .$if(locksRows(db), (query) => query.forShare());
  // One that was retired while this waited for it is not found, nor is the next one then: the second question finds that.
  const row = (await active.executeTakeFirst()) ?? (await active.executeTakeFirstOrThrow());
  return row.keyId;
}

/** Makes this key the active one, and retires the previous one. */
export async function activateMasterKey(db: Db, keyId: string, now: number): Promise<void> {
  await db
    .updateTable('master_keys')
    .set({ retired_at: now })
    .where('retired_at', 'is', null)
    .execute();
  await db.insertInto('master_keys').values({ key_id: keyId, created_at: now }).execute();
}

/** Removes the retired keys. */
export async function removeRetiredMasterKeys(db: Db): Promise<void> {
  await db.deleteFrom('master_keys').where('retired_at', 'is not', null).execute();
}

/** Removes these keys, retired or not. */
export async function removeMasterKeys(db: Db, keyIds: readonly string[]): Promise<void> {
  await db.deleteFrom('master_keys').where('key_id', 'in', keyIds).execute();
}
