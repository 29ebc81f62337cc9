/** Receipts in the browser: which keys are trusted, and what a verdict says. */

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { Run } from '../../../src/api/runs/contract.ts';
import {
  checkReceipt,
  compareKeys,
  differences,
  readSeen,
  trustedOf,
} from '../../../src/dashboard/view/receipt.ts';
import type { SeenKey } from '../../../src/dashboard/view/receipt.ts';
import { receiptPayload } from '../../../src/domain/proof/receipt.ts';
import type { AnsweredRun, Receipt } from '../../../src/domain/proof/receipt.ts';
import { runDocument } from '../../../src/domain/runs/run.ts';
import { sha256Hex } from '../../../src/receipt/sha256.ts';
import { signingKeyOf, signReceipt } from '../../../src/receipt/sign.ts';

const key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
const other = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
const at = Date.parse('2026-11-22T06:41:12.000Z');
const stored: AnsweredRun = {
  id: '0199c767-2340-7000-8000-8c3c1b3c9e10',
  jobId: '0199c767-1f00-7000-8000-5a9d1c7c2b11',
  source: 'scheduled',
  status: 'success',
  scheduledFor: at,
  startedAt: at + 3,
  finishedAt: at + 34,
  attempts: 1,
  httpStatus: 200,
  durationMs: 31,
  responseBody: 'geprüft',
  truncated: false,
  reason: null,
  detail: null,
};
const run: Run = runDocument(stored);
const payload = receiptPayload(stored, {
  siteUrl: 'https://jobs.example.com',
  issuedAt: at + 50,
  previousReceiptSha256: null,
  sha256: sha256Hex,
});
const receipt = JSON.parse(signReceipt(payload, key)) as Receipt;
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const seenKey = ({ publicKey }: { publicKey: string }, seenAt: string): SeenKey => ({
  publicKey,
  seenAt,
});
const seen = [seenKey(key, '2026-11-02T08:00:00.000Z')];
const seenWith = (keys: SeenKey[], change: 'same' | 'rotated' | 'replaced' = 'same') =>
  ({ kind: 'seen', seen: keys, change }) as const;

test('the keys of the server are trusted when nothing was seen, and as long as none of the old is gone', () => {
  const both = trustedOf([seenKey(other, ''), seenKey(key, '')]);
  const only = trustedOf([seenKey(other, '')]);
  const now = '2026-11-22T06:41:12.000Z';
  assert.deepEqual(compareKeys([], only, now), { seen: [seenKey(other, now)], change: 'first' });
  assert.deepEqual(compareKeys(seen, trustedOf(seen), now), { seen, change: 'same' });
  assert.deepEqual(compareKeys(seen, both, now), {
    seen: [...seen, seenKey(other, now)],
    change: 'rotated',
  });
  assert.deepEqual(compareKeys(seen, only, now), { seen, change: 'replaced' });
  assert.deepEqual(compareKeys(seen, new Map(), now), { seen, change: 'replaced' });
});

test('a verdict says which key, and since when this browser has known it', () => {
  const checked = checkReceipt(bytesOf(receipt), run, seenWith(seen), at);
  assert.equal(checked.isValid, true);
  assert.equal(
    checked.sentence,
    `Valid for the key ${key.keyId}, first seen by this browser on Mon 2 Nov.`,
  );
  assert.deepEqual(checked.remarks, []);
  const stated = Object.fromEntries(checked.stated);
  assert.equal(stated['Result'], 'success, HTTP 200');
  assert.equal(stated['SHA-256 of the answer'], sha256Hex(new TextEncoder().encode('geprüft')));
  assert.equal(stated['Signed with key'], key.keyId);
  const young = seenWith([seenKey(key, '2026-11-22T06:40:00.000Z')]);
  const early = checkReceipt(bytesOf(receipt), run, young, at);
  assert.match(early.sentence, /first seen by this browser today at \d\d:\d\d\.$/);
  assert.match(early.remarks[0] ?? '', /for less than an hour/);
  const chosen = { kind: 'chosen', keys: trustedOf(seen) } as const;
  assert.match(
    checkReceipt(bytesOf(receipt), run, chosen, at).sentence,
    /which is in the file that you chose\.$/,
  );
});

test('the key that a receipt carries is never trusted', () => {
  const forged = JSON.parse(signReceipt(payload, other)) as Receipt;
  const checked = checkReceipt(bytesOf(forged), run, seenWith(seen), at);
  assert.equal(checked.isValid, false);
  assert.match(checked.sentence, /^Not valid: its key .* is not trusted/);
  const changed = { ...receipt, payload: { ...payload, httpStatus: 500 } };
  assert.match(
    checkReceipt(bytesOf(changed), run, seenWith(seen), at).sentence,
    /^Not valid: its signature .* does not match its content\.$/,
  );
  const junk = checkReceipt(new TextEncoder().encode('<html>'), run, seenWith(seen), at);
  assert.match(junk.sentence, /^Not readable: /);
});

test('a key that was replaced is said plainly, also when the receipt is good', () => {
  const checked = checkReceipt(bytesOf(receipt), run, seenWith(seen, 'replaced'), at);
  assert.equal(checked.isReplaced, true);
  assert.match(checked.remarks.join(' '), /no longer lists a key .* since Mon 2 Nov 2026\./);
  const rotated = checkReceipt(bytesOf(receipt), run, seenWith(seen, 'rotated'), at);
  assert.equal(rotated.isReplaced, false);
  assert.match(rotated.remarks.join(' '), /it was rotated/);
});

test('a good receipt of something else than the page shows is no good', () => {
  assert.deepEqual(differences(receipt, run), []);
  const changes: Partial<Run>[] = [
    { id: 'x' },
    { jobId: 'x' },
    { status: 'failed' },
    { source: 'manual' },
    { httpStatus: 201 },
    { scheduledFor: 'x' },
    { startedAt: 'x' },
    { finishedAt: 'x' },
    { attempts: 2 },
    { responseBody: 'gepruft' },
    { responseBody: null },
    { truncated: true },
  ];
  for (const change of changes) {
    assert.equal(differences(receipt, { ...run, ...change }).length, 1, JSON.stringify(change));
  }
  const checked = checkReceipt(bytesOf(receipt), { ...run, httpStatus: 201 }, seenWith(seen), at);
  assert.equal(checked.isValid, false);
  assert.match(checked.sentence, /not of what this page shows: HTTP status/);
});

test('what this browser kept is read only if it is a list of keys', () => {
  assert.deepEqual(readSeen(JSON.stringify(seen)), seen);
  const bad = [
    null,
    '',
    '[]',
    '{}',
    'null',
    '[null]',
    '[{}]',
    JSON.stringify([seenKey(key, 'yesterday')]),
    JSON.stringify([seenKey({ publicKey: 'AAAA' }, '2026-11-02T08:00:00.000Z')]),
  ];
  for (const text of bad) assert.deepEqual(readSeen(text), [], String(text));
});
