/** The room of what was removed goes back to the system. */

import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { openStore, storePath } from '../../../src/store/database/open.ts';
import {
  canGiveBack,
  checkpoint,
  emptyLog,
  ensureGivingBack,
  giveBackPages,
  readSpace,
} from '../../../src/store/database/space.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { keepHistory, successes } from '../../support/checks/history.ts';
import { openTestStore } from '../../support/running/store.ts';

test('a new file gives back as many free pages as it is told to, and is smaller then', async (t) => {
  const { store, dataDir, addJob } = await openTestStore(t);
  const job = await addJob();
  await keepHistory(store, job.id, successes(500, 1e12, 'x'.repeat(4_000)));
  await store.write((tx) => tx.deleteFrom('runs').execute());
  await checkpoint(store.db);
  const full = await readSpace(store.db);
  const fileBytes = (): number => statSync(storePath(dataDir)).size;
  assert.equal(fileBytes(), full.pages * full.pageBytes);
  assert.ok(full.freePages > 500, `only ${full.freePages} pages are free`);

  await store.write((tx) => giveBackPages(tx, 100));
  const some = await readSpace(store.db);
  assert.equal(some.pages, full.pages - 100);
  assert.equal(some.freePages, full.freePages - 100);
  await emptyLog(store.db);
  assert.equal(fileBytes(), some.pages * some.pageBytes);
  assert.equal(statSync(`${storePath(dataDir)}-wal`).size, 0);
  await store.write((tx) => giveBackPages(tx, full.pages));
  assert.equal((await readSpace(store.db)).freePages, 0, 'and it ends when none is left');
});

test('a small file that was made without it is rewritten once and keeps what it holds', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  mkdirSync(dataDir);
  const old = new Database(storePath(dataDir));
  old.exec('create table of_before (a text)');
  old.exec("insert into of_before values ('kept')");
  old.close();
  {
    await using store = await openStore(dataDir);
    assert.equal(await canGiveBack(store.db), false);
    assert.equal(await ensureGivingBack(store), true);
  }
  await using store = await openStore(dataDir);
  assert.equal(await canGiveBack(store.db), true);
  const found = new Database(storePath(dataDir));
  t.after(() => found.close());
  assert.deepEqual(found.prepare('select a from of_before').all(), [{ a: 'kept' }]);
});
