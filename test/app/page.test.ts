/** A page ends by size as well as by count (docs/behavior.md#api-5). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOf, partialPageOf } from '../../src/app/page.ts';

const cursorOf = ({ id }: { id: string }): string => id;
/** Items with texts of these lengths. */
const items = (...lengths: number[]) =>
  lengths.map((length, index) => ({ id: String(index), text: 'x'.repeat(length) }));
const idsOf = (found: { id: string }[]): string => found.map(({ id }) => id).join('');

test('a page ends with the item with which it has more than 1 MB, and has at least one', () => {
  const cases = [
    [items(400_000, 400_000, 400_000, 400_000), '012', '2'],
    [items(5_000_000, 1), '0', '0'],
    [items(5_000_000), '0', null],
    [items(1, 1, 1, 5_000_000), '0123', null],
    [items(1, 1, 1, 1, 5_000_000), '0123', '3'],
    [[], '', null],
  ] as const;
  for (const [found, ids, nextCursor] of cases) {
    const page = pageOf([...found], 4, cursorOf);
    assert.deepEqual([idsOf(page.items), page.nextCursor], [ids, nextCursor]);
  }
});

test('what counts is how much is written: a control character has six bytes', () => {
  const found = Array.from({ length: 10 }, (_, id) => ({
    id: String(id),
    text: '\u0001'.repeat(50_000),
  }));
  assert.equal(idsOf(pageOf(found, 10, cursorOf).items), '0123');
});

test('a page that is cut by its size is partial, and continues after its last item', () => {
  const found = items(600_000, 600_000, 600_000);
  const cut = partialPageOf(found, 5, { id: 'stop' }, cursorOf);
  assert.deepEqual([idsOf(cut.items), cut.nextCursor, cut.isPartial], ['01', '1', true]);
  const stopped = partialPageOf(items(1), 5, { id: 'stop' }, cursorOf);
  assert.deepEqual([stopped.nextCursor, stopped.isPartial], ['stop', true]);
  const full = partialPageOf(items(1, 1, 1), 2, undefined, cursorOf);
  assert.deepEqual([full.nextCursor, full.isPartial], ['1', false]);
  const last = partialPageOf(items(1), 2, undefined, cursorOf);
  assert.deepEqual([last.nextCursor, last.isPartial], [null, false]);
});
