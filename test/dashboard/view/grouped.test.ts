/** Rows below the days they belong to. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byDay } from '../../../src/dashboard/view/grouped.ts';

test('rows are grouped by day in a zone, and keep their order', () => {
  const now = Date.parse('2026-11-22T06:41:12.000Z');
  const rows = [
    '2026-11-22T06:00:00.000Z',
    '2026-11-21T23:30:00.000Z',
    '2026-11-21T22:30:00.000Z',
    '2026-11-20T12:00:00.000Z',
    '2025-11-20T12:00:00.000Z',
  ];
  const titles = (zone: string): [string, number][] =>
    byDay(rows, (at) => at, now, zone).map(({ title, rows: of }) => [title, of.length]);
  assert.deepEqual(titles('Europe/Paris'), [
    ['Today, Sun 22 Nov', 2],
    ['Yesterday, Sat 21 Nov', 1],
    ['Fri 20 Nov', 1],
    ['Thu 20 Nov 2025', 1],
  ]);
  assert.deepEqual(titles('UTC')[1], ['Yesterday, Sat 21 Nov', 2]);
  assert.deepEqual(byDay([], String, now), []);
});
