/** Public keys: their ids, and the forms they are published in. */

import { fromBase64url, toBase64url } from './base64.ts';
import { canonicalBytes } from './canonical.ts';
import { isSoundKey } from './ed25519.ts';
import { sha256Base64url } from './sha256.ts';

/** The one algorithm of receipts (RFC 8032). */
export const algorithm = 'Ed25519';

export interface PublicKey {
  /** RFC 7638 thumbprint: it follows from the key, so no key can take the id of another. */
  keyId: string;
  /** The 32 bytes in base64url. */
  publicKey: string;
}

/** The key as a JSON Web Key (RFC 8037). */
export interface Jwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
}

/** What `/receipts/key` answers: one key in the forms that people and tools want. */
export interface KeyDocument extends PublicKey {
  algorithm: 'Ed25519';
  jwk: Jwk;
  /** SubjectPublicKeyInfo (RFC 8410). */
  pem: string;
}

/** What `/receipts/keys` answers: a JSON Web Key Set (RFC 7517). */
export interface KeySet {
  keys: (Jwk & { kid: string; use: 'sig'; alg: 'EdDSA' })[];
}

/** The key that 32 bytes are; undefined if no signature can be checked with them. */
export function publicKeyOf(bytes: Uint8Array): PublicKey | undefined {
  if (bytes.length !== 32 || !isSoundKey(bytes)) return undefined;
  const publicKey = toBase64url(bytes);
  // RFC 7638, section 3: the required members, in canonical form.
  return { keyId: sha256Base64url(canonicalBytes(jwkOf(publicKey))), publicKey };
}

/** The document of one key. */
export function keyDocument({ keyId, publicKey }: PublicKey): KeyDocument {
  return { algorithm, keyId, publicKey, jwk: jwkOf(publicKey), pem: pemOf(publicKey) };
}

/** The set of several keys, in the order given. */
export function keySet(keys: readonly PublicKey[]): KeySet {
  return {
    keys: keys.map(({ keyId, publicKey }) => ({
      ...jwkOf(publicKey),
      kid: keyId,
      use: 'sig',
      alg: 'EdDSA',
    })),
  };
}

/** What stands before the 32 bytes in every SubjectPublicKeyInfo of Ed25519 (RFC 8410, section 4). */
const spkiPrefix = Uint8Array.of(
  0x30,
  0x2a,
  0x30,
  0x05,
  0x06,
  0x03,
  0x2b,
  0x65,
  0x70,
  0x03,
  0x21,
  0,
);

/** The raw bytes in the base64 body of a PEM block; undefined if it holds no key of Ed25519. */
export function keyInPem(body: string): Uint8Array | undefined {
  // 44 bytes leave two of three in the last group: padding is one character.
  const url = body.replace(/\s+/g, '').replace(/=$/, '').replaceAll('+', '-').replaceAll('/', '_');
  const der = fromBase64url(url);
  const isEd25519 = der?.length === 44 && spkiPrefix.every((byte, index) => der[index] === byte);
  return isEd25519 ? der.slice(spkiPrefix.length) : undefined;
}

function pemOf(publicKey: string): string {
  const der = Uint8Array.from([...spkiPrefix, ...(fromBase64url(publicKey) ?? [])]);
  const body = `${toBase64url(der).replaceAll('-', '+').replaceAll('_', '/')}=`;
  return `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
}

function jwkOf(publicKey: string): Jwk {
  return { kty: 'OKP', crv: algorithm, x: publicKey };
}
