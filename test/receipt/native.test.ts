/** Node's cryptography comes to the same verdicts on receipts, and on signatures by sound keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSoundKey, verifyEd25519 } from '../../src/receipt/ed25519.ts';
import { verifyNatively } from '../../src/receipt/native.ts';
import { readTrustedKeys } from '../../src/receipt/trusted-keys.ts';
import { verifyReceipt } from '../../src/receipt/verify.ts';
import { bitFlips, edits, key, soundCases } from '../support/hostile/receipt-mutations.ts';
import edges from '../vectors/ed25519-edges.json' with { type: 'json' };
import wycheproof from '../vectors/ed25519.json' with { type: 'json' };

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const trusted = readTrustedKeys([key]);

test('sound, edited and damaged receipts have the same verdict and hash', () => {
  const cases = [...soundCases(), ...edits(), ...bitFlips()];
  assert.ok(cases.length > 1_000, String(cases.length));
  for (const { name, receipt } of cases) {
    assert.deepEqual(
      verifyReceipt(receipt, trusted, verifyNatively),
      verifyReceipt(receipt, trusted),
      name,
    );
  }
});

test('published signatures by sound keys have the same verdict', () => {
  const published = wycheproof.groups.flatMap(({ publicKey, cases }) =>
    (cases as [number, string, string, string, boolean][]).map(([, what, message, signature]) => {
      return { what, publicKey, message, signature };
    }),
  );
  const disputed = edges.cases.filter(({ publicKey }) => isSoundKey(hex(publicKey)));
  assert.ok(disputed.length > 0);
  for (const { what, publicKey, message, signature } of [...published, ...disputed]) {
    const given = [hex(signature), hex(message), hex(publicKey)] as const;
    assert.equal(verifyNatively(...given), verifyEd25519(...given), what);
  }
});
