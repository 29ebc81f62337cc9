/** Texts of several lines. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visibleLines } from '../../../src/dashboard/view/body.ts';

test('control characters are visible, ends of lines and tabs stay', () => {
  assert.equal(visibleLines('a\tb\r\nc\u001b[31m\u202e'), 'a\tb\nc\\u001b[31m\\u202e');
  assert.equal(visibleLines('10%\r100%'), '10%\\u000d100%');
});
