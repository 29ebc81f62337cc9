/** Sweeps: every row once, page by page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep, type SweepPage } from '../../../src/store/database/sweep.ts';
import { each } from '../../support/each.ts';

function tableOf(ids: string[]) {
  const asked: string[] = [];
  const find = async ({ afterId, limit }: SweepPage) => {
    asked.push(afterId);
    return ids
      .filter((id) => id > afterId)
      .slice(0, limit)
      .map((id) => ({ id }));
  };
  return { ids, asked, find };
}

test('a sweep yields every row once, in order, with as few queries as possible', async () => {
  for (const [ids, asked] of [
    [[], ['']],
    [['a'], ['']],
    [
      ['a', 'b'],
      ['', 'b'],
    ],
    [
      ['a', 'b', 'c'],
      ['', 'b'],
    ],
  ]) {
    const table = tableOf(ids ?? []);
    const pages = await Array.fromAsync(sweep(table.find, 2));
    assert.deepEqual(each(pages.flat(), 'id'), ids);
    assert.ok(pages.every(({ length }) => length > 0));
    assert.deepEqual(table.asked, asked);
  }
});

test('rows created during a sweep are seen if their ids come later; a failed page ends the sweep', async () => {
  const table = tableOf(['b', 'd']);
  const pages = sweep(table.find, 1);
  assert.deepEqual((await pages.next()).value, [{ id: 'b' }]);
  table.ids.splice(0, 2, 'a', 'b', 'c', 'd');
  assert.deepEqual((await pages.next()).value, [{ id: 'c' }]);
  const failing = sweep(async () => Promise.reject(new Error('the disk is gone')), 1);
  await assert.rejects(failing.next(), /the disk is gone/);
  assert.equal((await failing.next()).done, true);
});
