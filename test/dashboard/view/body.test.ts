/** Texts of several lines, and how much of an answer is kept. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeWords, visibleLines, keptWords } from '../../../src/dashboard/view/body.ts';

test('control characters become visible, ends of lines and tabs stay', () => {
  const rows: [text: string, shown: string][] = [
    ['a\tb\nc', 'a\tb\nc'],
    ['a\r\nb', 'a\nb'],
    ['a\rb', 'a\\u000db'],
    ['\u001b[31mred', '\\u001b[31mred'],
    ['\u202eok\u2066', '\\u202eok\\u2066'],
    ['\0\u2028', '\\u0000\\u2028'],
    ['geprüft: ٣ 東京', 'geprüft: ٣ 東京'],
  ];
  for (const [text, shown] of rows) assert.equal(visibleLines(text), shown);
});

test('the size of a text is counted in bytes', () => {
  assert.equal(sizeWords(''), '0 bytes');
  assert.equal(sizeWords('a'), '1 byte');
  assert.equal(sizeWords('ü'), '2 bytes');
  assert.equal(sizeWords('a'.repeat(4096)), '4,096 bytes');
});

const kept = (responseBody: string | null, truncated = false, httpStatus: number | null = 200) =>
  keptWords({ responseBody, truncated, httpStatus });

test('it is said how much of an answer is kept, in bytes', () => {
  assert.equal(kept('a'.repeat(4096), true), '4,096 bytes kept, more was sent');
  assert.equal(kept('ü'), '2 bytes');
  assert.equal(kept('a'), '1 byte');
  assert.equal(kept(''), 'The answer had no body.');
  assert.equal(kept('', true), '0 bytes kept, more was sent');
  assert.equal(kept(null, false, null), 'There was no answer.');
});
