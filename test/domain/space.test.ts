import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findShortages,
  fullDiskText,
  mustMakeRoom,
  nextShare,
  type SpaceFigures,
} from '../../src/domain/space.ts';

const plenty: SpaceFigures = {
  usedBytes: 0,
  reusableBytes: 0,
  diskFreeBytes: 1e9,
  reserveBytes: 100,
  lackingBytes: 0,
};

function atSize(usedBytes: number, before: 'limit'[]): string[] {
  return findShortages({ ...plenty, usedBytes }, 1_000, before);
}

function withDisk(more: Partial<SpaceFigures>, before: 'disk'[] = []): string[] {
  return findShortages({ ...plenty, diskFreeBytes: 0, ...more }, null, before);
}

function fullText(
  isReserveInUse: boolean,
  isServed: boolean,
  { freeBytes = 0, isSpent = false } = {},
): string {
  return fullDiskText({ freeBytes, isReserveInUse, isSpent, isServed });
}

test('on a full disk calls go on where something can open the database, and only then', () => {
  const inUse = 'the disk is full or was, and the reserve is in use (0 bytes free)';
  const most = 'free space, or delete jobs or monitors';
  assert.equal(
    fullText(true, false),
    `${inUse}: free space, until then nothing can be called or stored`,
  );
  // Free pages of the file take runs, however little is free beside it.
  assert.equal(
    fullText(true, true),
    `${inUse}: ${most}; calls go on while the space it gave lasts`,
  );
  const spent = `${inUse}: ${most}; until then nothing more is called`;
  assert.equal(fullText(true, true, { isSpent: true }), spent);
  assert.match(
    fullText(true, false, { freeBytes: 64 * 1024 }),
    /; jobd serve calls while the space it gave lasts$/,
  );
  // A start empties the reserve.
  const left = 'the disk is full (0 bytes free)';
  assert.equal(
    fullText(false, false),
    `${left}: ${most}; jobd serve calls while the reserve lasts`,
  );
  assert.equal(fullText(false, true), `${left}: ${most}; calls go on while the reserve lasts`);
});

test('near its limit a database is short of space, until it is clearly below', () => {
  assert.deepEqual(atSize(900, []), []);
  assert.deepEqual(atSize(901, []), ['limit']);
  assert.deepEqual(atSize(851, ['limit']), ['limit']);
  assert.deepEqual(atSize(850, ['limit']), []);
  assert.deepEqual(findShortages({ ...plenty, usedBytes: 1e15 }, null, []), []);
});

test('a disk is nearly full when less than another reserve is left, in the file or beside it', () => {
  assert.deepEqual(withDisk({ diskFreeBytes: 100 }), []);
  assert.deepEqual(withDisk({ diskFreeBytes: 60, reusableBytes: 40 }), []);
  assert.deepEqual(withDisk({ diskFreeBytes: 60, reusableBytes: 39 }), ['disk']);
  assert.deepEqual(withDisk({ diskFreeBytes: 149 }, ['disk']), ['disk']);
  assert.deepEqual(withDisk({ diskFreeBytes: 150 }, ['disk']), []);
  assert.deepEqual(
    withDisk({ diskFreeBytes: 199, lackingBytes: 100 }),
    ['disk'],
    'the reserve is owed',
  );
  assert.deepEqual(
    withDisk({ diskFreeBytes: 0, reserveBytes: 0 }),
    [],
    'no reserve fits on a tiny disk',
  );
});

test('a short disk waits half a minute while the reserve lasts and jobd takes little; a limit never waits', () => {
  const full = { ...plenty, diskFreeBytes: 0, lackingBytes: 100, reusableBytes: 13 };
  const calm = { forMs: 29_999, grownBytes: 6 };
  assert.equal(mustMakeRoom(['disk'], full, calm), false);
  assert.equal(mustMakeRoom(['disk'], full, { ...calm, forMs: 30_000 }), true);
  assert.equal(mustMakeRoom(['disk'], full, { ...calm, grownBytes: 7 }), true);
  assert.equal(mustMakeRoom(['disk'], { ...full, reusableBytes: 12 }, calm), true);
  const whole = { ...full, reusableBytes: 12, lackingBytes: 0 };
  assert.equal(mustMakeRoom(['disk'], whole, calm), false, 'the reserve is not in use yet');
  assert.equal(mustMakeRoom(['limit', 'disk'], full, calm), true);
  assert.equal(mustMakeRoom([], full, { forMs: 30_000, grownBytes: 7 }), false);
});

test('both causes may be there at once', () => {
  const figures = { ...plenty, usedBytes: 2_000, diskFreeBytes: 1 };
  assert.deepEqual(findShortages(figures, 1_000, []), ['limit', 'disk']);
});

test('whoever takes most of what is kept loses the oldest tenth of it', () => {
  assert.equal(nextShare([0.2, 0.5, 0]), 0.45);
  assert.equal(nextShare([7]), 0.9, 'more than all of it counts as all of it');
  assert.equal(nextShare([]), 0);
});
