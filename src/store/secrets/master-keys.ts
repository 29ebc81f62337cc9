/** The ids of the master keys that sealed values in the store; the keys themselves are elsewhere. */

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
 * key that was retired meanwhile.
 */
export async function activeMasterKeyId(db: Db): Promise<string> {
  const { keyId } = await db
    .selectFrom('master_keys')
    .select('key_id as keyId')
    .where('retired_at', 'is', null)
    .executeTakeFirstOrThrow();
  return keyId;
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
