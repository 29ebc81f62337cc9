/**
 * Ed25519 as strict as RFC 8032 allows, and stricter where it leaves a choice, so that a message has one signature and
 * verifiers cannot disagree. Also refused are an S not below the group's order, coordinates not below the field's prime,
 * and keys and R with a part of small order. No signer that follows the RFC makes them. Without such parts the RFC's two
 * equations, with and without the cofactor, are equivalent: OpenSSL accepts every signature that is accepted here.
 *
 * SHA-512 comes from a library because Web Crypto is asynchronous and absent from pages loaded by plain HTTP.
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
