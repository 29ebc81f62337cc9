/** What jobd tells its operator about itself. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpaceState } from '../../../src/app/app.ts';
import { notInLedger, shortOfSpace } from '../../../src/app/operator/notes.ts';

test('what the operator should see to is among the troubles', () => {
  const state: SpaceState = {
    causes: () => ['limit', 'disk'],
    isExhausted: () => false,
    limitBytes: 1_000_000,
  };
  assert.deepEqual(shortOfSpace(state), [
    'the database nears its limit and the disk is nearly full: the oldest history is removed before its time',
  ]);
  assert.deepEqual(shortOfSpace({ ...state, causes: () => ['disk'], isExhausted: () => true }), [
    'the disk is nearly full: no history is left to remove, free space',
  ]);
  assert.deepEqual(shortOfSpace({ ...state, causes: () => [] }), []);
  assert.deepEqual(notInLedger({ checkedAt: 0, dueTimes: 3, wrong: 2 }), [
    '2 due times or runs are not accounted for: jobd ledger check',
  ]);
  assert.deepEqual(
    [notInLedger(null), notInLedger({ checkedAt: 0, dueTimes: 3, wrong: 0 })],
    [[], []],
  );
});
