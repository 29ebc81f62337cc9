/** What a narrow terminal shows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutTo, widthOf } from '../../../src/cli/terminal/text.ts';
import * as fc from '../../support/fast-check.ts';

const pieces = [
  'a',
  'bc 1',
  '–',
  '…',
  'é',
  'e\u0301',
  'ж',
  '日本',
  '𠮷',
  'ｱ',
  '👨‍👩‍👧',
  '🇩🇪',
  '✈\ufe0f',
];

test('a cut text is never wider than its limit, whatever its characters take', () => {
  assert.equal(cutTo('05:28–07:28', 10), '05:28–07:…');
  assert.equal(cutTo('–––––abcdefghij', 8), '–––––ab…');
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, limit) => {
      const cut = cutTo(text, limit);
      assert.ok(widthOf(cut) <= limit, cut);
      assert.ok(widthOf(text) > limit || cut === text);
    }),
  );
});
