import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, duration, span, until } from '../../../src/dashboard/view/figures.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const now = Date.parse('2026-11-22T06:41:12.000Z');
const at = (ms: number): string => new Date(now + ms).toISOString();

test('a duration has two units at most, and never a second one of nothing', () => {
  const rows: [ms: number, text: string][] = [
    [0, '0 ms'],
    [31, '31 ms'],
    [999, '999 ms'],
    [999.6, '1 s'],
    [1_234, '1.2 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [42_300, '42 s'],
    [59_600, '1 m'],
    [2 * minute + 4 * second, '2 m 4 s'],
    [3 * hour + 5 * minute + 59 * second, '3 h 5 m'],
    [3 * hour + 5 * second, '3 h'],
    [2 * day + 4 * hour, '2 d 4 h'],
    [400 * day, '400 d'],
  ];
  for (const [ms, text] of rows) assert.equal(duration(ms), text);
});

test('an age has no milliseconds and is never rounded up', () => {
  assert.equal(span(999), 'less than 1 s');
  assert.equal(span(-5), 'less than 1 s');
  assert.equal(span(1_999), '1 s');
  assert.equal(span(minute - 1), '59 s');
  assert.equal(ago(at(-2 * hour - 4 * minute), now), '2 h 4 m ago');
  assert.equal(ago(at(-999), now), 'now');
  assert.equal(ago(at(5 * second), now), 'now');
});

test('a due time counts down to now, and is late from a second after', () => {
  assert.equal(until(at(72 * second), now), 'in 1 m 12 s');
  assert.equal(until(at(71 * second + 1), now), 'in 1 m 12 s');
  assert.equal(until(at(1), now), 'in 1 s');
  assert.equal(until(at(0), now), 'now');
  assert.equal(until(at(-999), now), 'now');
  assert.equal(until(at(-72 * second), now), '1 m 12 s late');
});
