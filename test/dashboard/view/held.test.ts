/** Rows under the pointer: what may change in them, and what waits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPlace } from '../../../src/dashboard/view/held.ts';

const rows = (...ids: string[]): { id: string; of: string }[] =>
  ids.map((id) => ({ id, of: 'now' }));
const before = ['a', 'b', 'c'].map((id) => ({ id, of: 'before' }));

test('rows get what is new of them, in place', () => {
  assert.deepEqual(inPlace(before, rows('a', 'b', 'c')), { rows: rows('a', 'b', 'c'), waiting: 0 });
});

test('a new row waits, unless it comes at the end', () => {
  const held = inPlace(before, rows('x', 'a', 'b', 'c', 'z'));
  assert.deepEqual(held, { rows: rows('a', 'b', 'c', 'z'), waiting: 1 });
});

test('a row that is gone stays as it was', () => {
  const held = inPlace(before, rows('a', 'c'));
  assert.deepEqual(
    held.rows.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  assert.equal(held.rows[1]?.of, 'before');
  assert.equal(held.waiting, 1);
});

test('rows that changed places wait together', () => {
  assert.deepEqual(inPlace(before, rows('c', 'a', 'b')), { rows: rows('a', 'b', 'c'), waiting: 1 });
});

test('an empty list stays empty', () => {
  assert.deepEqual(inPlace([], rows('a')), { rows: [], waiting: 1 });
});
