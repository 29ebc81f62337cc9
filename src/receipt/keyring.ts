/** Private keys: made, sealed for the store, and opened to sign. */

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { JobdError, messageOf } from '../domain/errors.ts';
import { placeOf, type Vault } from '../domain/secrets/vault.ts';
import type { PublicKey } from './key.ts';
import { signingKeyOf, type SigningKey } from './sign.ts';

/** A signing key as it is kept. */
export interface SealedSigningKey extends PublicKey {
  sealed: string;
}

/** Makes a key and seals it with the master key of this id. */
export function makeSigningKey(vault: Vault, masterKeyId: string): SealedSigningKey {
  const { keyId, publicKey, privateKey } = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const sealed = vault.seal(masterKeyId, pem, placeOf('signing_keys', { id: keyId }));
  return { keyId, publicKey, sealed };
}

/** Opens a key to sign with. Throws `unavailable` if it cannot be opened, or is another key. */
export function openSigningKey(
  vault: Vault,
  { keyId, sealed }: Pick<SealedSigningKey, 'keyId' | 'sealed'>,
): SigningKey {
  try {
    const pem = vault.open(sealed, placeOf('signing_keys', { id: keyId }));
    const key = signingKeyOf(createPrivateKey(pem));
    if (key.keyId !== keyId) throw new Error(`it is another key, ${key.keyId}`);
    return key;
  } catch (error) {
    throw new JobdError(
      'unavailable',
      `the signing key ${keyId} cannot be opened: ${messageOf(error)}; ` +
        'restore it from a backup, or let another one sign: jobd signing-key rotate',
      { cause: error },
    );
  }
}
