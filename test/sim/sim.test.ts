/**
 * Simulated histories (docs/simulation.md), always the same ones. What is printed repeats one that breaks a rule.
 *
 *   JOBD_SIM_HISTORIES=5   so many, and those that showed a fault once (2, and none)
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '../support/dice.ts';
import { simulated } from './spawned.ts';

/** So many histories, of other seeds with another `JOBD_TEST_SEED`. */
const { JOBD_SIM_HISTORIES: histories } = process.env;

const hashOf = (out: string): string => /^hash (\w+)$/m.exec(out)?.[1] ?? out;

if (histories !== undefined) {
  test('histories that showed a fault once break no rule', async (t) => {
    await simulated(t, '--kept');
  });
} else {
  test('a history happens in the same way each time', async (t) => {
    const one = ['--seed', '12', '--seconds', '200'];
    const [first, again] = await Promise.all([simulated(t, ...one), simulated(t, ...one)]);
    assert.match(hashOf(first), /^\w{64}$/);
    assert.equal(hashOf(again), hashOf(first));
  });
}

test('histories break no rule', async (t) => {
  const args = ['--from', String(seed), '--seeds', histories ?? '2', '--seconds', '600'];
  t.diagnostic(await simulated(t, ...args));
});
