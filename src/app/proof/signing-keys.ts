/** The key that signs receipts: made, shown and changed by those who may open the store. */

import { JobdError } from '../../domain/errors.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import { makeSigningKey, openSigningKey } from '../../receipt/keyring.ts';
import { activeMasterKeyId } from '../../store/secrets/master-keys.ts';
import { writeAlone } from '../../store/database/alone.ts';
import type { Db } from '../../store/database/store.ts';
import * as keys from '../../store/proof/signing-keys.ts';
import type { SigningKeyRecord } from '../../store/proof/signing-keys.ts';
import type { Ground } from '../app.ts';

export type { SigningKeyRecord };

/** What is needed to act on keys. */
export interface SigningKeyParts extends Ground {
  vault: Vault;
}

/** Makes a key if there is none. Throws `unavailable` if the key that is there cannot be opened. */
export async function ensureSigningKey({ store, clock, vault }: SigningKeyParts): Promise<void> {
  const active =
    (await keys.findActiveSigningKey(store.db)) ??
    (await writeAlone(store, async (tx) => {
      // Another process may have been faster.
      const other = await keys.findActiveSigningKey(tx);
      if (other === undefined) await activateNewKey(tx, vault, clock.now());
      return other;
    }));
  if (active !== undefined) openSigningKey(vault, active);
}

/** Makes a new key sign from now on. Public keys are kept for ever; the private part of the old key is removed. */
export async function rotateSigningKey(parts: SigningKeyParts): Promise<SigningKeyRecord> {
  const { store, clock, vault } = parts;
  return await store.write((tx) => activateNewKey(tx, vault, clock.now()));
}

async function activateNewKey(tx: Db, vault: Vault, now: number): Promise<SigningKeyRecord> {
  const key = makeSigningKey(vault, await activeMasterKeyId(tx));
  await keys.activateSigningKey(tx, key, now);
  return { keyId: key.keyId, publicKey: key.publicKey, createdAt: now, retiredAt: null };
}

/** The key that signs now. Throws `not_found`. */
export async function activeSigningKey({ store }: Ground): Promise<SigningKeyRecord> {
  const active = await keys.findActiveSigningKey(store.db);
  if (active !== undefined) return active;
  throw new JobdError('not_found', 'there is no signing key yet: jobd serve makes one');
}

/** Every key, the one that signs first. */
export async function listSigningKeys({ store }: Ground): Promise<SigningKeyRecord[]> {
  return await keys.listSigningKeys(store.db);
}
