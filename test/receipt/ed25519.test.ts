/** Ed25519: published test cases, and those on which published verifiers disagree. */

import assert from 'node:assert/strict';
import { createPublicKey, hash, sign, verify as verifyNatively } from 'node:crypto';
import { test } from 'node:test';
import { Point, verify } from '@noble/ed25519';
import { toBase64url } from '../../src/receipt/base64.ts';
import { isSoundKey, verifyEd25519 } from '../../src/receipt/ed25519.ts';
import edges from '../vectors/ed25519-edges.json' with { type: 'json' };
import wycheproof from '../vectors/ed25519.json' with { type: 'json' };
import { unsoundPoints } from '../support/records/receipt-keys.ts';
import { attackerKey, signingKey } from '../support/records/receipts.ts';
import { randomBytes, rollDice } from '../support/dice.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

/** The points of small order, the identity first. */
const smallPoints = unsoundPoints.slice(0, 8).map((point) => Point.fromHex(point));

/** The verdict of OpenSSL, through Node. */
function nativeVerdict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64url(publicKey) };
  return verifyNatively(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

test('every Wycheproof case has its published verdict', () => {
  let count = 0;
  for (const { publicKey, cases } of wycheproof.groups) {
    const key = hex(publicKey);
    assert.ok(isSoundKey(key), publicKey);
    for (const [number, kind, message, signature, isValid] of cases as Row[]) {
      const verdict = verifyEd25519(hex(signature), hex(message), key);
      assert.equal(verdict, isValid, `case ${number}, ${kind}`);
      count++;
    }
  }
  assert.equal(count, 151);
});

type Row = [number: number, kind: string, message: string, signature: string, isValid: boolean];

test('every signature on which published verifiers disagree is refused', () => {
  assert.equal(edges.cases.length, 12);
  for (const { what, publicKey, message, signature } of edges.cases) {
    const key = hex(publicKey);
    const isAccepted = isSoundKey(key) && verifyEd25519(hex(signature), hex(message), key);
    assert.equal(isAccepted, false, what);
  }
});

test('a key of small order, with a part of small order, or in a second encoding is refused', () => {
  for (const point of unsoundPoints) assert.equal(isSoundKey(hex(point)), false, point);
  for (const key of [signingKey, attackerKey]) {
    const point = Point.fromBytes(Buffer.from(key.publicKey, 'base64url'));
    assert.ok(isSoundKey(point.toBytes()));
    for (const small of smallPoints.slice(1)) {
      const mixed = point.add(small).toBytes();
      assert.equal(isSoundKey(mixed), false, `with ${small.toHex()} added`);
    }
  }
  // A coordinate below 19 has a second encoding, with the field's prime added.
  for (let y = 0; y < 19; y++) {
    for (const odd of [0x00, 0x80]) {
      const second = Buffer.alloc(32, 0xff);
      second[0] = 0xed + y;
      second[31] = 0x7f | odd;
      assert.equal(isSoundKey(second), false, `${y} and the prime`);
    }
  }
  for (const length of [0, 1, 31, 33]) {
    assert.equal(isSoundKey(new Uint8Array(length).fill(9)), false);
  }
});

test('an R with a part of small order is refused, even if its signer made it so', () => {
  // The private scalar is known here, so that the equation can hold for any R.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const secret = 12_345_678_901_234_567n;
  const key = Point.BASE.multiply(secret).toBytes();
  const message = Buffer.from('any');
  const nonce = 987_654_321_987_654_321n;
  const made = (r: Uint8Array, nonceOfR: bigint): Uint8Array => {
    const hashed = hash('sha512', Buffer.concat([r, key, message]), 'buffer').toReversed();
    const challenge = BigInt(`0x${Buffer.from(hashed).toString('hex')}`) % order;
    const s = (nonceOfR + challenge * secret) % order;
    const second = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed();
    return Uint8Array.from(Buffer.concat([r, second]));
  };
  const honest = made(Point.BASE.multiply(nonce).toBytes(), nonce);
  assert.equal(verifyEd25519(honest, message, key), true, 'signatures made here are valid');
  const [identity = Point.ZERO, ...small] = smallPoints;
  const chosen: [r: Point, nonceOfR: bigint][] = [
    [identity, 0n],
    ...small.map((point): [Point, bigint] => [point, 0n]),
    ...small.map((point): [Point, bigint] => [Point.BASE.multiply(nonce).add(point), nonce]),
  ];
  for (const [r, nonceOfR] of chosen) {
    const signature = made(r.toBytes(), nonceOfR);
    assert.equal(verifyEd25519(signature, message, key), false, r.toHex());
    assert.equal(verify(signature, message, key), true, 'but the equation with the cofactor holds');
  }
});

test('signatures of Node are accepted, accepted ones OpenSSL accepts too, and no flipped bit is', (t) => {
  const random = rollDice(t);
  for (let round = 0; round < 40; round++) {
    const message = randomBytes(random, round * 7);
    const key = round % 2 === 0 ? signingKey : attackerKey;
    const publicKey = Uint8Array.from(Buffer.from(key.publicKey, 'base64url'));
    const signature = Uint8Array.from(sign(null, message, key.privateKey));
    assert.ok(verifyEd25519(signature, message, publicKey));
    const at = (round * 13) % 64;
    signature[at] = (signature[at] ?? 0) ^ (1 << (round % 8));
    assert.equal(verifyEd25519(signature, message, publicKey), false);
    assert.equal(nativeVerdict(signature, message, publicKey), false);
  }
});
