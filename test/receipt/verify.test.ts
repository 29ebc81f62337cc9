/** The verdict on one receipt: only those made by the service are valid. */

import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { receipt as exampleReceipt, receiptKey } from '../../src/api/proof/examples.ts';
import { Receipt as ReceiptSchema, ReceiptKey } from '../../src/api/proof/contract.ts';
import { canonicalBytes, canonicalJson } from '../../src/receipt/canonical.ts';
import { keyDocument, keySet } from '../../src/receipt/key.ts';
import { Refusal } from '../../src/receipt/refusal.ts';
import { nativeSha256, signingKeyOf } from '../../src/receipt/sign.ts';
import { readTrustedKeys } from '../../src/receipt/trusted-keys.ts';
import { receiptSha256, signedBytes, verifyReceipt } from '../../src/receipt/verify.ts';
import type { Verdict } from '../../src/receipt/verify.ts';
import { soundKeys, unsoundKeys } from '../support/records/receipt-keys.ts';
import { bitFlips, edits, key, receipt, soundCases } from '../support/hostile/receipt-mutations.ts';
import { attackerKey, fileOf, receiptOf, signingKey } from '../support/records/receipts.ts';

const trusted = readTrustedKeys([key]);

test('a receipt of the service is valid, however its JSON is formatted', () => {
  for (const { name, receipt: file } of soundCases()) {
    const verdict = verifyReceipt(file, trusted);
    assert.equal(verdict.verdict, 'valid', `${name}: ${JSON.stringify(verdict)}`);
  }
  const verdict = verifyReceipt(fileOf(receipt), trusted);
  assert.deepEqual(verdict, {
    verdict: 'valid',
    receipt,
    receiptSha256: receiptSha256(receipt),
  });
});

test('every published form of the key is accepted', () => {
  for (const { name, receipt: file, key: keyFile } of soundKeys()) {
    assert.equal(verifyReceipt(file, readTrustedKeys([keyFile])).verdict, 'valid', name);
  }
});

test('a key file that contradicts itself, or whose key proves nothing, is refused', () => {
  for (const { name, key: keyFile } of unsoundKeys()) {
    assert.throws(
      () => readTrustedKeys([keyFile]),
      (error: unknown) => error instanceof Refusal && error.kind === 'unreadable',
      name,
    );
  }
});

test('every altered receipt is refused with a one-line reason in plain letters', () => {
  const cases = edits();
  assert.ok(cases.length > 250, `${cases.length} edits`);
  for (const { name, receipt: file } of cases) assertRefused(name, verifyReceipt(file, trusted));
});

test('a receipt with any flipped bit is refused', () => {
  const cases = bitFlips();
  assert.equal(cases.length, fileOf(receipt).length * 8);
  for (const { name, receipt: file } of cases) {
    assertRefused(name, verifyReceipt(file, trusted));
  }
});

function assertRefused(name: string, verdict: Verdict): void {
  assert.notEqual(verdict.verdict, 'valid', name);
  if (verdict.verdict !== 'valid') assert.match(verdict.reason, /^[ -~…]{5,400}$/, name);
}

test('a receipt from before a rotation needs the old key, and names it', () => {
  const old = receiptOf({}, attackerKey);
  const verdict = verifyReceipt(fileOf(old), trusted);
  assert.deepEqual(verdict, {
    verdict: 'invalid',
    reason: `its key "${attackerKey.keyId}" is not trusted (trusted: ${signingKey.keyId})`,
  });
  const both = readTrustedKeys([fileOf(keySet([signingKey, attackerKey]))]);
  assert.equal(verifyReceipt(fileOf(old), both).verdict, 'valid');
  assert.equal(verifyReceipt(fileOf(receipt), both).verdict, 'valid');
  const swapped = fileOf({ ...old, keyId: signingKey.keyId });
  assert.equal(verifyReceipt(swapped, both).verdict, 'invalid');
});

test('a receipt signed without publicKey is valid, one it was removed from is not', () => {
  const { publicKey: _, signature: _signature, ...unsigned } = receipt;
  const signature = sign(null, canonicalBytes(unsigned), signingKey.privateKey);
  const without = { ...unsigned, signature: signature.toString('base64url') };
  assert.equal(verifyReceipt(fileOf(without), trusted).verdict, 'valid');
  const taken = { ...unsigned, signature: receipt.signature };
  assert.equal(verifyReceipt(fileOf(taken), trusted).verdict, 'invalid');
});

test('the signature covers the whole receipt except itself, in canonical form', () => {
  const { signature, ...unsigned } = receipt;
  assert.deepEqual(signedBytes(receipt), canonicalBytes(unsigned));
  assert.deepEqual(receipt, { ...unsigned, signature }, 'and the receipt is left as it was');
  assert.equal(receiptSha256(receipt), nativeSha256(Buffer.from(canonicalJson(receipt))));
});

test('the published schema has exactly the fields of a receipt and of its key, and its example is valid', () => {
  const { properties } = ReceiptSchema;
  assert.deepEqual(Object.keys(properties).toSorted(), Object.keys(receipt).toSorted());
  const { report: _, dueAt: _dueAt, ...promised } = properties.payload.properties;
  const payload = Object.keys(promised);
  assert.deepEqual(payload.toSorted(), Object.keys(receipt.payload).toSorted());
  assert.deepEqual(properties.payload.required.toSorted(), payload.toSorted());
  const document = keyDocument(signingKey);
  assert.deepEqual(Object.keys(ReceiptKey.properties).toSorted(), Object.keys(document).toSorted());
  assert.deepEqual(Object.keys(ReceiptKey.properties.jwk.properties), Object.keys(document.jwk));
  // The key of RFC 8037, appendix A; its id is the thumbprint that the RFC gives.
  const published = readTrustedKeys([fileOf(receiptKey)]);
  assert.deepEqual([...published.keys()], ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k']);
  assert.equal(verifyReceipt(fileOf(exampleReceipt), published).verdict, 'valid');
});

test('only an Ed25519 key becomes a signing key', () => {
  const { privateKey } = generateKeyPairSync('x25519');
  assert.throws(() => signingKeyOf(privateKey), /must be of Ed25519, got x25519/);
});
