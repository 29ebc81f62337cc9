/** Rows of a list: what may change in them under the pointer, and the days they belong to. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPlace, byDay } from '../../../src/dashboard/view/rows.ts';
import { each } from '../../support/each.ts';

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
  assert.deepEqual(each(held.rows, 'id'), ['a', 'b', 'c']);
  assert.equal(held.rows[1]?.of, 'before');
  assert.equal(held.waiting, 1);
});

test('rows that changed places wait together', () => {
  assert.deepEqual(inPlace(before, rows('c', 'a', 'b')), { rows: rows('a', 'b', 'c'), waiting: 1 });
});

test('an empty list stays empty', () => {
  assert.deepEqual(inPlace([], rows('a')), { rows: [], waiting: 1 });
});

test('rows are grouped by day in a zone, and keep their order', () => {
  const now = Date.parse('2026-11-22T06:41:12.000Z');
  const moments = [
    '2026-11-22T06:00:00.000Z',
    '2026-11-21T23:30:00.000Z',
    '2026-11-21T22:30:00.000Z',
    '2026-11-20T12:00:00.000Z',
    '2025-11-20T12:00:00.000Z',
  ];
  const titles = (zone: string): [string, number][] =>
    byDay(moments, (at) => at, now, zone).map(({ title, rows: of }) => [title, of.length]);
  assert.deepEqual(titles('Europe/Paris'), [
    ['Today, Sun 22 Nov', 2],
    ['Yesterday, Sat 21 Nov', 1],
    ['Fri 20 Nov', 1],
    ['Thu 20 Nov 2025', 1],
  ]);
  assert.deepEqual(titles('UTC')[1], ['Yesterday, Sat 21 Nov', 2]);
  assert.deepEqual(byDay([], String, now), []);
});
