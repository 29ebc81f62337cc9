/** How much of an answer is kept. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptWords } from '../../../../src/dashboard/view/runs/answer.ts';

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
