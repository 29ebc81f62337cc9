/** The key that receipts are signed with: made, shown, changed by whoever may open the store. */

import type { Clock } from '../domain/clock.ts';
import { JobdError } from '../domain/errors.ts';
import type { Keyring } from '../receipt/keyring.ts';
import type { Store } from '../store/open.ts';
import * as keys from '../store/signing-keys.ts';
import type { SigningKeyRecord } from '../store/signing-keys.ts';

export type { SigningKeyRecord };

/** What is needed to act on keys. */
export interface SigningKeyParts {
  store: Store;
  clock: Clock;
  keyring: Keyring;
}

/**
 * Makes sure that there is a key to sign with and that it can be read. Throws `unavailable` if it
 * cannot be.
 */
export async function ensureSigningKey(parts: SigningKeyParts): Promise<void> {
  const active = await keys.findActiveSigningKey(parts.store.db);
  if (active === undefined) await rotateSigningKey(parts);
  else parts.keyring.load(active.keyId);
}

/**
 * Lets a new key sign from now on. Public keys are kept for ever; the private part of the old one is
 * removed, as nothing is to be signed with it any more.
 */
export async function rotateSigningKey({
  store,
  clock,
  keyring,
}: SigningKeyParts): Promise<SigningKeyRecord> {
  const { keyId, publicKey } = keyring.make();
  const now = clock.now();
  const old = await store.write(async (tx) => {
    const active = await keys.findActiveSigningKey(tx);
    await keys.activateSigningKey(tx, { keyId, publicKey }, now);
    return active;
  });
  if (old !== undefined) keyring.forget(old.keyId);
  return { keyId, publicKey, createdAt: now, retiredAt: null };
}

/** The key that signs now. Throws `not_found`. */
export async function activeSigningKey({
  store,
}: Pick<SigningKeyParts, 'store'>): Promise<SigningKeyRecord> {
  const active = await keys.findActiveSigningKey(store.db);
  if (active !== undefined) return active;
  throw new JobdError('not_found', 'there is no signing key yet: jobd serve makes one');
}

/** Every key, the one that signs first. */
export async function listSigningKeys({
  store,
}: Pick<SigningKeyParts, 'store'>): Promise<SigningKeyRecord[]> {
  return await keys.listSigningKeys(store.db);
}
