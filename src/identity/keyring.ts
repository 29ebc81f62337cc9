/** Private keys of calls: made, sealed for the store, and opened to sign. */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  hash,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { CallAlgorithm, CallJwk } from '../domain/proof/call-key.ts';
import { JobdError, messageOf } from '../domain/errors.ts';
import { placeOf, type Vault } from '../domain/secrets/vault.ts';

/** A new key as it is kept. */
export interface SealedCallKey {
  keyId: string;
  algorithm: CallAlgorithm;
  publicJwk: CallJwk;
  sealed: string;
}

/** A key to sign with, which can be sent to another thread. */
export interface CallSigner {
  keyId: string;
  algorithm: CallAlgorithm;
  privateKey: KeyObject;
}

/** What clouds demand of RSA at least; each signature takes 0.3 ms. */
const rsaBits = 2_048;

/** Makes a key and seals it with the master key of this id. An RSA key takes some tenths of a second, in another thread. */
export async function makeCallKey(
  algorithm: CallAlgorithm,
  vault: Vault,
  masterKeyId: string,
): Promise<SealedCallKey> {
  const { privateKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : await promisify(generateKeyPair)('rsa', { modulusLength: rsaBits });
  const publicJwk = publicJwkOf(privateKey);
  const keyId = thumbprint(publicJwk);
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const sealed = vault.seal(masterKeyId, pem, placeOf('call_keys', { id: keyId }));
  return { keyId, algorithm, publicJwk, sealed };
}

/** Opens a key to sign with. Throws `unavailable` if it cannot be opened, or is another key. */
export function openCallKey(
  vault: Vault,
  { keyId, algorithm, sealed }: Pick<SealedCallKey, 'keyId' | 'algorithm' | 'sealed'>,
): CallSigner {
  try {
    const privateKey = createPrivateKey(vault.open(sealed, placeOf('call_keys', { id: keyId })));
    const found = thumbprint(publicJwkOf(privateKey));
    if (found !== keyId) throw new Error(`it is another key, ${found}`);
    return { keyId, algorithm, privateKey };
  } catch (error) {
    throw new JobdError(
      'unavailable',
      `the call key ${keyId} cannot be opened: ${messageOf(error)}; ` +
        'restore it from a backup, or let another one sign: jobd call-key rotate --now',
      { cause: error },
    );
  }
}

/** The id of a public key (RFC 7638): its required members, sorted, without spaces. */
export function thumbprint(jwk: CallJwk): string {
  const members =
    jwk.kty === 'OKP'
      ? { crv: jwk.crv, kty: jwk.kty, x: jwk.x }
      : { e: jwk.e, kty: jwk.kty, n: jwk.n };
  return hash('sha256', JSON.stringify(members), 'base64url');
}

function publicJwkOf(privateKey: KeyObject): CallJwk {
  return createPublicKey(privateKey).export({ format: 'jwk' }) as CallJwk;
}
