/**
 * Ed25519 as strict as RFC 8032 allows, and stricter where it leaves a choice, so that there is one
 * signature for each message and verifiers cannot disagree. Refused beside wrong signatures: S not
 * below the group's order; coordinates not below the field's prime; keys and R of small order, or with
 * a part of small order. No signer by the RFC makes any of these. Without such parts the RFC's two
 * equations, with and without the cofactor, say the same: what is accepted here, OpenSSL accepts.
 *
 * SHA-512 comes from a library, as Web Crypto is asynchronous and absent from pages that came by plain HTTP.
 */

import { hashes, Point, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

hashes.sha512 = sha512;

/** Whether 32 bytes are a public key that a signature can be checked with. */
export function isSoundKey(publicKey: Uint8Array): boolean {
  return isFullOrderPoint(publicKey);
}

/** Whether the signature (64 bytes) of a message is that of a sound public key (32 bytes). */
export function verifyEd25519(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  return (
    signature.length === 64 &&
    verify(signature, message, publicKey, { zip215: false }) &&
    isFullOrderPoint(signature.subarray(0, 32))
  );
}

/** Whether 32 bytes are the one encoding of a point that generates the group of prime order. */
function isFullOrderPoint(bytes: Uint8Array): boolean {
  try {
    const point = Point.fromBytes(bytes, false);
    return !point.is0() && point.isTorsionFree();
  } catch {
    return false;
  }
}
