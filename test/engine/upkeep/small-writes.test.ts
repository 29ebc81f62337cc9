/** Long work is split into transactions that each hold the writer briefly. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSmallWrites, nextRows } from '../../../src/engine/upkeep/small-writes.ts';
import { fakeClock, steadyClock } from '../../support/fakes/clock.ts';
import { openTestStore } from '../../support/running/store.ts';

/** Rows for the next transaction, which should take 3 ms. */
function next(rows: number, written: { done: number; tookMs: number }): number {
  return nextRows(rows, { ...written, aimMs: 3 });
}

test('the number of rows adapts to the time that they took, within bounds', () => {
  assert.equal(next(100, { done: 100, tookMs: 3 }), 100);
  assert.equal(next(100, { done: 100, tookMs: 6 }), 50);
  assert.equal(next(100, { done: 100, tookMs: 2 }), 150);
  assert.equal(next(100, { done: 100, tookMs: 0 }), 200, 'doubled at most');
  assert.equal(next(100, { done: 100, tookMs: 1_000 }), 25, 'one slow sync says little');
  assert.equal(next(100, { done: 3, tookMs: 0.1 }), 100, 'a few rows say nothing of many');
  assert.equal(next(6, { done: 6, tookMs: 50 }), 5);
  assert.equal(next(900, { done: 900, tookMs: 1 }), 1_000);
});

test('rows that become slower are soon written in smaller transactions', async (t) => {
  const { store: opened } = await openTestStore(t);
  const store = { ...opened, smallWriteMs: 3 };
  const clock = fakeClock();
  const writes = createSmallWrites(store, steadyClock(clock));
  const write = (msPerRow: number): Promise<number> =>
    writes.write(async () => {
      clock.advance(writes.rows * msPerRow);
      return writes.rows;
    });
  for (let count = 0; count < 20; count += 1) await write(0.02);
  assert.equal(writes.rows, 150);
  assert.equal(await write(0.2), 150);
  const longestMs = writes.takeLongestMs();
  assert.equal(longestMs, 30, 'as long as the transaction in which it began');
  await write(0.2);
  await write(0.2);
  assert.equal(writes.rows, 15);
  assert.ok(writes.takeLongestMs() < 10);
  assert.equal(writes.takeLongestMs(), 0);
});
