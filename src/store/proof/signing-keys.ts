/** The keys that sign receipts, and those that did. One of them is active. */

import { locksRows, rowLock } from '../database/dialect.ts';
import { statement } from '../database/statement.ts';
import type { Db } from '../database/store.ts';

/** A key. Times are epoch milliseconds. */
export interface SigningKeyRecord {
  /** RFC 7638 thumbprint. */
  keyId: string;
  /** The 32 bytes in base64url. */
  publicKey: string;
  createdAt: number;
  /** When another key replaced it; null while it signs. */
  retiredAt: number | null;
}

/** A key that signs. */
export interface ActiveSigningKey extends SigningKeyRecord {
  /** The private key, sealed. */
  sealed: string;
}

const columns = [
  'key_id as keyId',
  'public_key as publicKey',
  'created_at as createdAt',
  'retired_at as retiredAt',
] as const;

const activeKey = statement((db: Db) =>
  db
    .selectFrom('signing_keys')
    .select([...columns, 'sealed'])
    .where('retired_at', 'is', null)
    .$narrowType<{ sealed: string }>()
    .$if(locksRows(db), (query) => query.modifyEnd(rowLock('signing_keys')))
    .compile(),
);

/** The key that signs now, or undefined if there is none yet. */
export async function findActiveSigningKey(db: Db): Promise<ActiveSigningKey | undefined> {
  const [key] = await activeKey(db, {});
  return key;
}

/** Every key there ever was, the newest first. */
export async function listSigningKeys(db: Db): Promise<SigningKeyRecord[]> {
  return await db
    .selectFrom('signing_keys')
    .select(columns)
    .orderBy('retired_at', (order) => order.desc().nullsFirst())
    .orderBy('created_at', 'desc')
    .execute();
}

/**
 * Retires the active key, if there is one, and makes this key active. Public keys are kept for ever. The private part
 * of the old key is removed, as nothing is signed with it any more.
 */
export async function activateSigningKey(
  db: Db,
  key: Pick<ActiveSigningKey, 'keyId' | 'publicKey' | 'sealed'>,
  now: number,
): Promise<void> {
  await db
    .updateTable('signing_keys')
    .set({ retired_at: now, sealed: null })
    .where('retired_at', 'is', null)
    .execute();
  await db
    .insertInto('signing_keys')
    .values({
      key_id: key.keyId,
      public_key: key.publicKey,
      created_at: now,
      sealed: key.sealed,
    })
    .execute();
}
