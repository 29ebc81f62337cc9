/** The names of backups, when the next is due, and which go. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  backupName,
  backupsToRemove,
  nextBackupAt,
  parseBackupName,
} from '../../src/domain/backups.ts';
import type { Keep } from '../../src/domain/backups.ts';

const day = 86_400_000;
const at = Date.parse('2026-11-21T03:15:00Z');
const instanceId = '5c0e1f7a';

test('the name of a backup says whose it is, when it was made and whether it is encrypted', () => {
  const plain = { instanceId, at, isEncrypted: false };
  assert.equal(backupName(plain), 'jobd-5c0e1f7a-20261121T031500Z.db');
  assert.equal(
    backupName({ ...plain, isEncrypted: true }),
    'jobd-5c0e1f7a-20261121T031500Z.db.age',
  );
  for (const named of [plain, { ...plain, isEncrypted: true }]) {
    assert.deepEqual(parseBackupName(backupName(named)), named);
  }
});

test('only the exact name is that of a backup', () => {
  const others = [
    'jobd-2026-11-21.db',
    'jobd-5c0e1f7a-20261121T031500Z.db.gz',
    'jobd-5c0e1f7a-20261121T031500Z.db.age.1',
    'copy-jobd-5c0e1f7a-20261121T031500Z.db',
    'jobd-5C0E1F7A-20261121T031500Z.db',
    'jobd-5c0e1f7a-20261131T031500Z.db',
    'jobd-5c0e1f7a-20261121T246000Z.db',
    'jobd-before-20261121T031500Z.db',
    'jobd-5c0e1f7a-20261121T031500Z.db\n',
    '',
  ];
  for (const name of others) assert.equal(parseBackupName(name), null, name);
});

/** How many days before the new one each of the removed ones is. */
function removed(daysBefore: number[], keep: Keep): number[] {
  const others = daysBefore.map((days) => ({ at: at - days * day }));
  return backupsToRemove(others, { at }, keep).map((gone) => (at - gone.at) / day);
}

test('a count includes the new backup', () => {
  assert.deepEqual(removed([1, 2, 3, 4], { count: 3 }), [3, 4]);
  assert.deepEqual(removed([1, 2], { count: 3 }), []);
  assert.deepEqual(removed([1, 2], { count: 1 }), [1, 2]);
});

test('by a duration, what is older goes, but not the newest of the older ones', () => {
  assert.deepEqual(removed([1, 6, 7, 8, 9], { ms: 7 * day }), [8, 9]);
  assert.deepEqual(removed([40, 30, 50], { ms: 7 * day }), [40, 50]);
  assert.deepEqual(removed([30], { ms: 1 }), []);
});

test('backups of the future stay and are not counted', () => {
  assert.deepEqual(removed([-1, -2, 1, 2], { count: 2 }), [2]);
  assert.deepEqual(removed([-400, 8, 9], { ms: 7 * day }), [9]);
});

test('the next backup is due a while after the newest, and at once if there is none', () => {
  assert.equal(nextBackupAt(null, day, at), at);
  assert.equal(nextBackupAt(at - 3_600_000, day, at), at - 3_600_000 + day);
  assert.equal(nextBackupAt(at - 9 * day, day, at), at - 8 * day);
  assert.equal(nextBackupAt(at + 400 * day, day, at), at + day, 'not a year later');
});
