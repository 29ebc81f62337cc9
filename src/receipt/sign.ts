/** Signing, for the service only: Node's crypto takes a fifteenth of the library's time. */

import { createPublicKey, hash, sign, type KeyObject } from 'node:crypto';
import type { ReceiptPayload } from '../domain/proof/receipt.ts';
import { canonicalJson } from './canonical.ts';
import { algorithm, publicKeyOf, type PublicKey } from './key.ts';

/** A private key and the public one that belongs to it. */
export interface SigningKey extends PublicKey {
  privateKey: KeyObject;
}

/** The signing key of a private key of Ed25519. Throws TypeError for any other key. */
export function signingKeyOf(privateKey: KeyObject): SigningKey {
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    throw new TypeError(`a signing key must be of Ed25519, got ${privateKey.asymmetricKeyType}`);
  }
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicKey = publicKeyOf(spki.subarray(-32));
  if (publicKey === undefined) throw new TypeError('a signing key must be sound');
  return { ...publicKey, privateKey };
}

/** The receipt of a payload as canonical text, the form in which it is kept, downloaded and hashed. */
export function signReceipt(
  payload: ReceiptPayload,
  { keyId, publicKey, privateKey }: SigningKey,
): string {
  const unsigned = canonicalJson({ algorithm, keyId, publicKey, payload });
  const signature = sign(null, Buffer.from(unsigned), privateKey).toString('base64url');
  // `signature` sorts after all other names, so the rest stays as it was signed.
  return `${unsigned.slice(0, -1)},"signature":"${signature}"}`;
}

/** Signs a text other than a receipt, which would begin with a brace. The signature is in base64. */
export function signText(text: string, { privateKey }: SigningKey): string {
  return sign(null, Buffer.from(text), privateKey).toString('base64');
}

/** SHA-256 in hexadecimal, for `receiptPayload`. */
export function nativeSha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
