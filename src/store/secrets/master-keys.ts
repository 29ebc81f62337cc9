/** Which master keys sealed what is in the store: their ids, never the keys. */

import type { Db } from '../database/open.ts';

/** A master key. Times are epoch milliseconds. */
export interface MasterKeyRecord {
  keyId: string;
  /** When another key took its place; it is listed until nothing is left that it sealed. */
  retiredAt: number | null;
}

/** The keys, the active one first. */
export async function listMasterKeys(db: Db): Promise<MasterKeyRecord[]> {
  return await db
    .selectFrom('master_keys')
    .select(['key_id as keyId', 'retired_at as retiredAt'])
    .orderBy('retired_at', (order) => order.asc().nullsFirst())
    .execute();
}

/**
 * The id of the key that seals now. Asked for in the transaction that keeps what is sealed, so that nothing
 * is sealed with a key that was retired meanwhile.
 */
export async function activeMasterKeyId(db: Db): Promise<string> {
  const { keyId } = await db
    .selectFrom('master_keys')
    .select('key_id as keyId')
    .where('retired_at', 'is', null)
    .executeTakeFirstOrThrow();
  return keyId;
}

/** Lets this key seal from now on, and retires the one before, if there is one. */
export async function activateMasterKey(db: Db, keyId: string, now: number): Promise<void> {
  await db
    .updateTable('master_keys')
    .set({ retired_at: now })
    .where('retired_at', 'is', null)
    .execute();
  await db.insertInto('master_keys').values({ key_id: keyId, created_at: now }).execute();
}

/** Forgets the retired keys. */
export async function removeRetiredMasterKeys(db: Db): Promise<void> {
  await db.deleteFrom('master_keys').where('retired_at', 'is not', null).execute();
}

/** Forgets these keys, retired or not. */
export async function removeMasterKeys(db: Db, keyIds: readonly string[]): Promise<void> {
  await db.deleteFrom('master_keys').where('key_id', 'in', keyIds).execute();
}
