/** Private keys: made, sealed for the store, and opened to sign. */

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { JobdError, messageOf } from '../domain/errors.ts';
import { placeOf } from '../domain/secrets/vault.ts';
import type { Vault } from '../domain/secrets/vault.ts';
import type { PublicKey } from './key.ts';
import { signingKeyOf } from './sign.ts';
import type { SigningKey } from './sign.ts';

/** A signing key as it is kept. */
export interface SealedSigningKey extends PublicKey {
  sealed: string;
}

/** A new key, sealed with the master key of this id. */
export function makeSigningKey(vault: Vault, masterKeyId: string): SealedSigningKey {
  const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  const pem = String(key.privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return {
    keyId: key.keyId,
    publicKey: key.publicKey,
    sealed: sealSigningKey(vault, masterKeyId, key.keyId, pem),
  };
}

/** Seals the PEM of a private key. */
export function sealSigningKey(
  vault: Vault,
  masterKeyId: string,
  keyId: string,
  pem: string,
): string {
  return vault.seal(masterKeyId, pem, placeOf('signing_keys', { id: keyId }));
}

/** Opens a key to sign with. Throws `unavailable` if it cannot be opened, or is another. */
export function openSigningKey(
  vault: Vault,
  { keyId, sealed }: { keyId: string; sealed: string | null },
): SigningKey {
  try {
    if (sealed === null) throw new Error('its private part is not in the store');
    return keyIn(vault.open(sealed, placeOf('signing_keys', { id: keyId })), keyId);
  } catch (error) {
    throw unusable(`the signing key ${keyId} cannot be opened`, error);
  }
}

/**
 * The PEM of a key that is a file beside the database, as they were before; undefined if there is none.
 * Throws `unavailable` if it cannot be read.
 */
export function readKeyFile(dataDir: string, keyId: string): string | undefined {
  const file = join(filesIn(dataDir), `${keyId}.pem`);
  if (!existsSync(file)) return undefined;
  try {
    const pem = readFileSync(file, 'utf8');
    keyIn(pem, keyId);
    return pem;
  } catch (error) {
    throw unusable(`the signing key cannot be read from ${file}`, error);
  }
}

/** Removes the files of before. */
export function removeKeyFiles(dataDir: string): void {
  rmSync(filesIn(dataDir), { recursive: true, force: true });
}

function filesIn(dataDir: string): string {
  return join(dataDir, 'signing-keys');
}

function keyIn(pem: string, keyId: string): SigningKey {
  const key = signingKeyOf(createPrivateKey(pem));
  if (key.keyId !== keyId) throw new Error(`it is another key, ${key.keyId}`);
  return key;
}

function unusable(what: string, error: unknown): JobdError {
  const help = 'restore it from a backup, or let another one sign: jobd signing-key rotate';
  return new JobdError('unavailable', `${what}: ${messageOf(error)}; ${help}`, { cause: error });
}
