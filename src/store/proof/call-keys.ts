/** The keys that sign calls, did, or will. */

import type { CallJwk, CallKey } from '../../domain/proof/call-key.ts';
import { selectionOf, toRow } from '../database/columns.ts';
import { locksRows, rowLock } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';

/** A key whose private part is kept. */
export interface SigningCallKey extends CallKey {
  /** The private key, sealed. */
  sealed: string;
}

const columns = {
  keyId: 'key_id',
  algorithm: 'algorithm',
  publicJwk: 'public_jwk',
  createdAt: 'created_at',
  signsFrom: 'signs_from',
  retiredAt: 'retired_at',
  publishedUntil: 'published_until',
} as const;
const selection = selectionOf(columns);

/** Every key there ever was, the newest first. Their public parts are kept for ever, for requests that people saved. */
export async function listCallKeys(db: Db): Promise<CallKey[]> {
  const rows = await db
    .selectFrom('call_keys')
    .select(selection)
    .orderBy('created_at', 'desc')
    .orderBy('key_id')
    .execute();
  return rows.map(parsed);
}

/** The keys that can sign, locked until the end of the transaction if it is one. */
export async function listSigningCallKeys(db: Db): Promise<SigningCallKey[]> {
  const rows = await db
    .selectFrom('call_keys')
    .select([...selection, 'sealed'])
    .where('sealed', 'is not', null)
    .$narrowType<{ sealed: string }>()
    .$if(locksRows(db), (query) => query.modifyEnd(rowLock('call_keys')))
    .execute();
  return rows.map(parsed);
}

/** Keeps a new key. The one before it must be retired. */
export async function insertCallKey(tx: Db, key: SigningCallKey): Promise<void> {
  const row = { ...toRow(columns, key), sealed: key.sealed };
  await tx.insertInto('call_keys').values(row).execute();
}

/** Says until when a key signs and is published; `isLost` removes its private part at once. */
export async function retireCallKey(
  tx: Db,
  keyId: string,
  { retiredAt, publishedUntil }: { retiredAt: number; publishedUntil: number },
  isLost: boolean,
): Promise<void> {
  await tx
    .updateTable('call_keys')
    .set({
      retired_at: retiredAt,
      published_until: publishedUntil,
      ...(isLost && { sealed: null }),
    })
    .where('key_id', '=', keyId)
    .execute();
}

/** The id of a key that retired before a moment and still has its private part. */
export async function findRetiredCallKey(db: Db, before: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('call_keys')
    .select('key_id')
    .where('sealed', 'is not', null)
    .where('retired_at', '<', before)
    .executeTakeFirst();
  return row?.key_id;
}

/** Removes the private part of a key. Returns 1. */
export async function removePrivateCallKey(tx: Db, keyId: string): Promise<number> {
  await tx.updateTable('call_keys').set({ sealed: null }).where('key_id', '=', keyId).execute();
  return 1;
}

function parsed<Row extends { publicJwk: string }>(row: Row) {
  return { ...row, publicJwk: JSON.parse(row.publicJwk) as CallJwk };
}
