import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  expiryIn,
  keyState,
  lateness,
  rights,
  taken,
  usage,
} from '../../../src/dashboard/view/settings.ts';

const now = Date.parse('2026-11-22T06:41:12.000Z');

test('what is used is said with its limit, or that there is none', () => {
  assert.equal(usage(1_042, null, 'jobs'), '1,042 jobs, no limit');
  assert.equal(usage(23, 100, 'jobs'), '23 of 100 jobs');
  assert.equal(usage(8_212, 1_000_000, 'results'), '8,212 of 1,000,000 results');
});

test('lateness is a sentence, also when nothing ran', () => {
  assert.equal(
    lateness({ p50Ms: 3, p99Ms: 21, maxMs: 36_000 }),
    'In the last hour, or since jobd was started, half of the runs began within 3 ms of their due time, 99 of 100 within 21 ms; the latest was 36 s late.',
  );
  assert.match(lateness({ p50Ms: 3, p99Ms: 1_200, maxMs: 1_200 }), /within 1\.2 s/);
  assert.equal(
    lateness({ p50Ms: null, p99Ms: null, maxMs: null }),
    'No run has ended since jobd was started, or in the last hour.',
  );
});

test('a key is revoked, expired or valid, in this order', () => {
  const [past, later] = ['2026-11-22T06:41:12.000Z', '2026-11-22T06:41:13.000Z'];
  assert.equal(keyState({ expiresAt: past, revokedAt: past }, now), 'revoked');
  assert.equal(keyState({ expiresAt: past, revokedAt: null }, now), 'expired');
  assert.equal(keyState({ expiresAt: later, revokedAt: null }, now), 'valid');
  assert.equal(keyState({ expiresAt: null, revokedAt: null }, now), 'valid');
});

test('a key expires some days from now, or never', () => {
  assert.equal(expiryIn(30, now), '2026-12-22T06:41:12.000Z');
  assert.equal(expiryIn(0, now), null);
});

test('rights say who may manage keys', () => {
  assert.equal(rights({ permission: 'read', isOwner: false }), 'only read in this workspace');
  assert.equal(
    rights({ permission: 'write', isOwner: false }),
    'read and change everything in this workspace',
  );
  assert.match(rights({ permission: 'write', isOwner: true }), /manage its keys and sessions$/);
});

test('what the database takes is said with its limit and what the disk has left', () => {
  assert.equal(taken(4_194_304, null, null), '4 MiB');
  assert.equal(
    taken(4_194_304, 2 ** 30, 20 * 2 ** 30),
    '4 MiB of at most 1 GiB, 20 GiB free on its disk',
  );
});
