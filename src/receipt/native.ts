/**
 * The same checks by Node's own cryptography, some twenty times as fast: for jobd's own receipts, many at a time. Whoever checks a
 * receipt that somebody else has to believe uses `portable` (docs/decisions/0009-one-verifier.md).
 */

import { createPublicKey, hash, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { toBase64url } from './base64.ts';
import type { Checks } from './verify.ts';

/** By their text: an installation has few. */
const keys = new Map<string, KeyObject>();

/** Checks by Node. Keys are sound already (`key.ts`). */
export const native: Checks = {
  isSignature(signature, message, publicKey) {
    return signature.length === 64 && verify(null, message, keyOf(publicKey), signature);
  },
  sha256: (bytes) => hash('sha256', bytes, 'hex'),
};

function keyOf(publicKey: Uint8Array): KeyObject {
  const x = toBase64url(publicKey);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const key = keys.get(x) ?? createPublicKey({ key: jwk, format: 'jwk' });
  keys.set(x, key);
  return key;
}
