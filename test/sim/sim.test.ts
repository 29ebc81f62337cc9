/**
 * Simulated histories (docs/simulation.md), always the same ones. What is printed repeats one that breaks a rule. `e2e` has more of
 * them, and new ones.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '../support/dice.ts';
import { simulated } from './spawned.ts';

/** So many histories, of other seeds with another `JOBD_TEST_SEED`. */
const histories = 5;

const hashOf = (out: string): string => /^hash (\w+)$/m.exec(out)?.[1] ?? out;

test('histories that showed a fault once break no rule, and happen in the same way each time', async (t) => {
  const [first, again] = await Promise.all([simulated(t, '--kept'), simulated(t, '--kept')]);
  assert.match(hashOf(first), /^\w{64}$/);
  assert.equal(hashOf(again), hashOf(first));
});

test('histories break no rule', async (t) => {
  const args = ['--from', String(seed), '--seeds', String(histories), '--seconds', '600'];
  t.diagnostic(await simulated(t, ...args));
});
