/**
 * Ed25519 by Node's own cryptography, some twenty times as fast: for jobd's own receipts, many at a time. Whoever checks a receipt
 * that somebody else has to believe uses the library (docs/decisions/0010-secrets.md#0009).
 */

import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { toBase64url } from './base64.ts';

/** By their text: an installation has few. */
const keys = new Map<string, KeyObject>();

/** Whether the signature of a message is that of a sound public key. */
export function verifyNatively(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  return signature.length === 64 && verify(null, message, keyOf(publicKey), signature);
}

function keyOf(publicKey: Uint8Array): KeyObject {
  const x = toBase64url(publicKey);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const key = keys.get(x) ?? createPublicKey({ key: jwk, format: 'jwk' });
  keys.set(x, key);
  return key;
}
