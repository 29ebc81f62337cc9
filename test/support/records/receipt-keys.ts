/** Key files: valid ones in every form, and those that must not be trusted. */

import { fromBase64url } from '../../../src/receipt/base64.ts';
import { canonicalBytes } from '../../../src/receipt/canonical.ts';
import { keyDocument, keySet } from '../../../src/receipt/key.ts';
import { sha256Base64url } from '../../../src/receipt/sha256.ts';
import edges from '../../vectors/ed25519-edges.json' with { type: 'json' };
import { receipt, type Case } from '../hostile/receipt-mutations.ts';
import { attackerKey, fileOf, signingKey } from './receipts.ts';

const document = keyDocument(signingKey);
const other = keyDocument(attackerKey);

/** The forms of the right key. */
export function soundKeys(): Case[] {
  const files: [name: string, file: Uint8Array][] = [
    ['the document', fileOf(document)],
    ['the JSON Web Key', fileOf(document.jwk)],
    ['a JSON Web Key of the Web Crypto API', fileOf({ ...document.jwk, key_ops: [], ext: true })],
    ['a set', fileOf(keySet([attackerKey, signingKey]))],
    ['PEM', Buffer.from(document.pem)],
    ['PEM with line ends of Windows', Buffer.from(document.pem.replaceAll('\n', '\r\n'))],
    ['PEM of two keys', Buffer.from(other.pem + document.pem)],
  ];
  return cases(files);
}

/** Encodings of points that generate no group or the wrong one, or that are not canonical. */
export const unsoundPoints: string[] = [
  // The eight points of small order (RFC 7748, section 6.1, as points of edwards25519), and other encodings of them.
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ...new Set(edges.cases.slice(0, 6).map(({ publicKey }) => publicKey)),
  // Not a point of the curve.
  '0200000000000000000000000000000000000000000000000000000000000000',
];

/** Key files that give no verdict. */
export function unsoundKeys(): Case[] {
  const files: [name: string, file: Uint8Array][] = [
    ['nothing', Buffer.alloc(0)],
    ['an empty object', fileOf({})],
    ['an empty set', fileOf({ keys: [] })],
    ['keys that are not an array', fileOf({ keys: document.jwk })],
    ['a receipt', fileOf(receipt)],
    ['the id of another key', fileOf({ ...document, keyId: other.keyId })],
    ['another public key', fileOf({ ...document, publicKey: other.publicKey })],
    ['another JSON Web Key', fileOf({ ...document, jwk: other.jwk })],
    ['another PEM', fileOf({ ...document, pem: other.pem })],
    ['two PEMs', fileOf({ ...document, pem: document.pem + other.pem })],
    ['the same PEM twice', fileOf({ ...document, pem: document.pem.repeat(2) })],
    ['an empty PEM', fileOf({ ...document, pem: '' })],
    ['an unknown field', fileOf({ ...document, extra: 1 })],
    ['another algorithm', fileOf({ ...document, algorithm: 'EdDSA' })],
    ['a padded key', fileOf({ ...document, publicKey: `${document.publicKey}=` })],
    ['a short key', fileOf({ ...document.jwk, x: document.jwk.x.slice(4) })],
    ['two x', Buffer.from(`{"x":"${other.publicKey}",${JSON.stringify(document.jwk).slice(1)}`)],
    ['the thumbprint of another', fileOf({ ...document.jwk, kid: other.keyId })],
    ['a key for agreement', fileOf({ ...document.jwk, crv: 'X25519' })],
    ['a symmetric key', fileOf({ kty: 'oct', k: document.publicKey })],
    ['a private key', fileOf({ ...document.jwk, d: document.publicKey })],
    [
      'a private key in PEM',
      Buffer.from(signingKey.privateKey.export({ format: 'pem', type: 'pkcs8' })),
    ],
    ['PEM of X25519', Buffer.from(document.pem.replace('MCowBQYDK2Vw', 'MCowBQYDK2Vu'))],
    ['PEM of something else', Buffer.from(document.pem.replaceAll('PUBLIC KEY', 'CERTIFICATE'))],
    ['PEM and something else', Buffer.from(`${document.pem}or this`)],
    ['broken PEM', Buffer.from(document.pem.replace('-----END', '----END'))],
    ...Object.keys(document).map((name): [string, Uint8Array] => {
      const rest = Object.entries(document).filter(([known]) => known !== name);
      return [`no ${name}`, fileOf(Object.fromEntries(rest))];
    }),
    ...unsoundPoints.map((point): [string, Uint8Array] => [
      `the point ${point}`,
      fileOf(honestlyNamed(Buffer.from(point, 'hex').toString('base64url'))),
    ]),
  ];
  return cases(files);
}

/** The document that a key would have if it were valid. */
function honestlyNamed(publicKey: string): unknown {
  const named = { keyId: '', publicKey };
  const { jwk, ...forms } = keyDocument(named);
  if (fromBase64url(publicKey)?.length !== 32) throw new Error('not 32 bytes');
  return { ...forms, jwk, keyId: sha256Base64url(canonicalBytes(jwk)) };
}

function cases(files: [name: string, file: Uint8Array][]): Case[] {
  return files.map(([name, file]) => ({
    name: `key: ${name}`,
    receipt: fileOf(receipt),
    key: file,
  }));
}
