/** Lengths of time with a unit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthOf, secondsOf } from '../../../../src/dashboard/view/schedule/lengths.ts';

test('a length has its largest whole unit', () => {
  assert.deepEqual(lengthOf(0), { count: '0', unit: 'minutes' });
  assert.deepEqual(lengthOf(90), { count: '90', unit: 'seconds' });
  assert.deepEqual(lengthOf(300), { count: '5', unit: 'minutes' });
  assert.deepEqual(lengthOf(86_400), { count: '1', unit: 'days' });
});

test('what was typed becomes seconds; what is no number stays', () => {
  assert.equal(secondsOf({ count: ' 1,5 ', unit: 'minutes' }), 90);
  assert.equal(secondsOf({ count: '', unit: 'minutes' }), '');
  assert.equal(secondsOf({ count: 'soon', unit: 'days' }), 'soon');
});
