/** Public keys: their ids, and the forms they are published in. */

import { fromBase64url, toBase64url } from './base64.ts';
import { canonicalBytes } from './canonical.ts';
import { isSoundKey } from './ed25519.ts';
import { sha256Base64url } from './sha256.ts';

/** The one algorithm of receipts (RFC 8032). */
export const algorithm = 'Ed25519';

export interface PublicKey {
  /** RFC 7638 thumbprint: computed from the key, so no key can take the id of another. */
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

/** The response of `/receipts/key`: one key in several forms. */
export interface KeyDocument extends PublicKey {
  algorithm: 'Ed25519';
  jwk: Jwk;
  /** SubjectPublicKeyInfo (RFC 8410). */
  pem: string;
}

/** The response of `/receipts/keys`: a JSON Web Key Set (RFC 7517). */
export interface KeySet {
  keys: (Jwk & { kid: string; use: 'sig'; alg: 'EdDSA' })[];
}

/** The key of 32 bytes; undefined if no signature can be checked with it. */
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

/** The bytes before the key in every SubjectPublicKeyInfo of Ed25519 (RFC 8410, section 4). */
const spkiPrefix = Uint8Array.from(atob('MCowBQYDK2VwAyEA'), (character) =>
  character.charCodeAt(0),
);

/** The key's bytes in the base64 body of a PEM block; undefined if it is no Ed25519 key. */
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
