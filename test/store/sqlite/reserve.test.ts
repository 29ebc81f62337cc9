/** The reserve for a full disk: filled, released and filled again. */

import assert from 'node:assert/strict';
import fs, { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { openFileStore } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { readSpace } from '../../../src/store/sqlite/space.ts';
import { isReserveInUse, isReserveSpent, reservePath } from '../../../src/store/sqlite/reserve.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { openTestStore } from '../../support/running/store.ts';

/** The size of the reserve: the disk of the tests is large enough for a whole one. */
const wholeBytes = 24 * 1024 ** 2;

async function keep({ reserve }: Store): Promise<boolean[]> {
  const changes: boolean[] = [];
  await reserve.keep((isInUse) => void changes.push(isInUse));
  return changes;
}

test('the reserve is filled once, readable only by its owner, with bytes that do not compress', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  const changes = await keep(store);
  await store.reserve.fill();
  const path = reservePath(dataDir);
  const { size, mode, mtimeMs } = statSync(path);
  assert.deepEqual([size, mode & 0o777], [wholeBytes, 0o600]);
  const some = readFileSync(path).subarray(-(1024 ** 2));
  assert.ok(gzipSync(some, { level: 1 }).length > 0.99 * some.length);
  await store.reserve.fill();
  assert.equal(statSync(path).mtimeMs, mtimeMs);
  assert.deepEqual(changes, []);
});

test('a released reserve is in use, also after another start, until it is filled', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  const changes = await keep(store);
  await store.reserve.fill();
  await store.reserve.release();
  await store.reserve.release();
  assert.deepEqual([store.reserve.isInUse, isReserveInUse(dataDir), changes], [true, true, [true]]);

  await using again = await openFileStore(dataDir);
  const changesAgain = await keep(again);
  assert.equal(again.reserve.isInUse, true);
  assert.equal(await again.reserve.hasSpaceForRuns(again.db), true, 'runs have a part of it');
  await again.reserve.fill();
  assert.deepEqual([again.reserve.isInUse, isReserveInUse(dataDir)], [false, false]);
  assert.deepEqual(changesAgain, [true, false]);
});

test('a part of a released reserve becomes free pages of the file', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  await keep(store);
  await store.reserve.fill();
  await store.reserve.release();
  const { pages, freePages, pageBytes } = await readSpace(store.db);
  assert.ok(freePages * pageBytes >= wholeBytes / 4, `${freePages} free pages`);
  assert.equal(statSync(join(dataDir, 'jobd.db')).size, pages * pageBytes, 'they are in the file');
});

test('on a full disk a released reserve has space for runs until its free pages are used up', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  await keep(store);
  await store.reserve.fill();
  await store.reserve.release();
  const { blocks, bsize } = fs.statfsSync(dataDir);
  const full = t.mock.method(fs, 'statfsSync', () => ({ blocks, bsize, bavail: 0 }));
  const setFull = (isFull: boolean): void => {
    if (!isFull) full.mock.restore();
    syncBuiltinESMExports();
  };
  t.after(() => setFull(false));
  setFull(true);
  const look = async () => [
    await store.reserve.hasSpaceForRuns(store.db),
    store.reserve.isSpent,
    await isReserveSpent(dataDir, store.db),
  ];
  assert.deepEqual(await look(), [true, false, false]);
  await sql`create table more as select zeroblob(${wholeBytes / 4})`.execute(store.db);
  assert.deepEqual(await look(), [false, true, true]);
  setFull(false);
  assert.deepEqual(await look(), [true, false, false]);
});

test('a file that cannot grow any more stays as it is when the reserve is released', async (t) => {
  const { store } = await openTestStore(t);
  await keep(store);
  await store.reserve.fill();
  const before = await readSpace(store.db);
  const room = 100;
  await sql.raw(`pragma max_page_count = ${before.pages + room}`).execute(store.db);
  await store.reserve.release();
  assert.deepEqual(await readSpace(store.db), before);
  const { rows } = await sql`select name from sqlite_schema where name = 'filling'`.execute(
    store.db,
  );
  assert.deepEqual([store.reserve.isInUse, rows], [true, []]);
});

test('a write that finds the disk full releases it, another failed write does not', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  await keep(store);
  await assert.rejects(
    store.write(() => Promise.reject(new Error('a mistake'))),
    /a mistake/,
  );
  assert.equal(store.reserve.isInUse, false);
  // SQLite reports the same error for a file that may not grow.
  await sql`pragma max_page_count = 1`.execute(store.db);
  const grow = store.write((tx) => sql`create table more (a text)`.execute(tx));
  await assert.rejects(
    grow,
    /^JobdError: the disk is full, and there was no reserve to empty: free some space/,
  );
  assert.deepEqual([store.reserve.isInUse, store.reserve.isMissing], [true, true]);
  assert.equal(isReserveInUse(dataDir), false, 'nothing was released that the next start can use');
  await store.reserve.fill();
  assert.equal(store.reserve.refusal, null);
  const again = store.write((tx) => sql`create table more (a text)`.execute(tx));
  await assert.rejects(again, /^JobdError: the disk is full: until there is space again/);
  assert.equal(store.reserve.isMissing, false);
  assert.equal(isReserveInUse(dataDir), true);
});

test('a link with its name is removed, and the linked file is unchanged', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  const other = join(temporaryDirectory(t), 'other');
  writeFileSync(other, 'of another owner');
  symlinkSync(other, reservePath(dataDir));
  await keep(store);
  await store.reserve.fill();
  await store.reserve.release();
  assert.equal(readFileSync(other, 'utf8'), 'of another owner');
  assert.equal(isReserveInUse(dataDir), true);
});

test('commands do not make a reserve', async (t) => {
  const { store, dataDir } = await openTestStore(t);
  await store.reserve.fill();
  await store.reserve.release();
  assert.equal(statSync(reservePath(dataDir), { throwIfNoEntry: false }), undefined);
  assert.equal(store.reserve.isInUse, false);
});
