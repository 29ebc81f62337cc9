/**
 * The archived keys of the verifier, in any published form: the document of `/receipts/key`, a JSON Web Key, a set of
 * them, or PEM. The id of a key is always computed from the key. A stated id, and every other form in the same document,
 * must agree with it.
 */

import { fromBase64url } from './base64.ts';
import { decodeUtf8, demandOnly, maxDocumentBytes, objectOf, readJson, textOf } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import { algorithm, keyInPem, publicKeyOf, type PublicKey } from './key.ts';
import { invalid, Refusal, shown, unreadable } from './refusal.ts';

/** Trusted keys by their ids. */
export type TrustedKeys = ReadonlyMap<string, PublicKey>;

/** Reads the trusted keys of several files. Throws Refusal, `unreadable`: without a key there is no verdict. */
export function readTrustedKeys(files: readonly Uint8Array[]): TrustedKeys {
  const keys = files.flatMap(readKeys);
  if (keys.length === 0) throw noKey('the file has none');
  return new Map(keys.map((key) => [key.keyId, key]));
}

function noKey(reason: string): Refusal {
  return unreadable(`the key cannot be used: ${reason}`);
}

function readKeys(bytes: Uint8Array): PublicKey[] {
  try {
    return looksLikePem(bytes) ? readPem(bytes) : readKeyJson(readJson(bytes));
  } catch (error) {
    throw error instanceof Refusal ? noKey(error.message) : error;
  }
}

function readKeyJson(document: Json): PublicKey[] {
  const object = objectOf(document, 'the document');
  if (object.has('payload')) throw invalid('it is a receipt, not a key');
  if (object.has('keys')) {
    const keys = object.get('keys');
    if (!Array.isArray(keys)) throw invalid('keys is not an array');
    return keys.map((key: Json) => readJwk(objectOf(key, 'a key of the set')));
  }
  return [object.has('kty') ? readJwk(object) : readKeyDocument(object)];
}

function readKeyDocument(object: JsonObject): PublicKey {
  demandOnly(object, ['algorithm', 'keyId', 'publicKey', 'jwk', 'pem'], 'the key');
  const named = textOf(object, 'algorithm', 'the key');
  if (named !== algorithm) throw invalid(`its algorithm is ${shown(named)}, not ${algorithm}`);
  const key = soundKey(fromBase64url(textOf(object, 'publicKey', 'the key')), 'its publicKey');
  const keyId = textOf(object, 'keyId', 'the key');
  if (keyId !== key.keyId) throw contradiction('keyId', key);
  const isSame = ({ publicKey }: PublicKey): boolean => publicKey === key.publicKey;
  if (!isSame(readJwk(objectOf(object.get('jwk'), 'jwk')))) throw contradiction('jwk', key);
  const inPem = readPemText(textOf(object, 'pem', 'the key'));
  if (inPem.length !== 1 || !inPem.every(isSame)) throw contradiction('pem', key);
  return key;
}

function contradiction(field: string, { keyId }: PublicKey): Refusal {
  return invalid(`its ${field} contradicts its publicKey, which has the id ${keyId}`);
}

/** Ignores unknown members (RFC 7517, section 4). */
function readJwk(jwk: JsonObject): PublicKey {
  if (jwk.has('d'))
    throw invalid('it contains a private key: keep it secret and use the public one');
  const demanded = { kty: 'OKP', crv: algorithm };
  for (const [name, right] of Object.entries(demanded)) {
    const got = textOf(jwk, name, 'the JSON Web Key');
    if (got !== right) throw invalid(`${name} of the JSON Web Key is ${shown(got)}, not ${right}`);
  }
  const x = fromBase64url(textOf(jwk, 'x', 'the JSON Web Key'));
  const key = soundKey(x, 'x of the JSON Web Key');
  const kid = jwk.get('kid');
  if (kid !== undefined && kid !== key.keyId) {
    throw invalid(`kid of the JSON Web Key is not its thumbprint, which is ${key.keyId}`);
  }
  return key;
}

function looksLikePem(bytes: Uint8Array): boolean {
  return bytes[0] === '-'.charCodeAt(0);
}

function readPem(bytes: Uint8Array): PublicKey[] {
  if (bytes.length > maxDocumentBytes) throw invalid('it is too large');
  return readPemText(decodeUtf8(bytes));
}

const pemBlock =
  /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1-----(?:\r?\n|$)/g;

/** The keys of PEM blocks (RFC 7468), with nothing but blank lines around them. */
function readPemText(pem: string): PublicKey[] {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw invalid('it contains a private key: keep it secret and use the public one');
  }
  if (pem.replace(pemBlock, '').trim() !== '') throw invalid('its PEM cannot be read');
  return [...pem.matchAll(pemBlock)].map(([, label, body = '']) => {
    if (label !== 'PUBLIC KEY')
      throw invalid(`its PEM contains ${shown(label ?? '')}, not a public key`);
    return soundKey(keyInPem(body), 'the key in PEM');
  });
}

function soundKey(bytes: Uint8Array | undefined, what: string): PublicKey {
  const key = bytes && publicKeyOf(bytes);
  if (key !== undefined) return key;
  throw invalid(`${what} is not an Ed25519 public key, or has a small order and proves nothing`);
}
