/** Free pages go back to the system. */

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { storePath } from '../../../src/store/sqlite/reader.ts';
import { checkpoint, emptyLog, giveBackPages, readSpace } from '../../../src/store/sqlite/space.ts';
import { keepHistory, successes } from '../../support/checks/history.ts';
import { openTestStore } from '../../support/running/store.ts';

test('a new file gives back the asked number of free pages and becomes smaller', async (t) => {
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
