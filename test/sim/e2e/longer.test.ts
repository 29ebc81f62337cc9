/**
 * Simulated histories that take minutes: new ones, which may show a fault that was there before (so `npm test` has none), and the
 * same ones twice.
 */

import { describe, test } from 'node:test';
import { seed } from '../../support/dice.ts';
import { simulated } from '../spawned.ts';

/** By the clock, so that each time other ones are simulated. */
const newSeed = String((Date.now() % 1_000_000) * 100);

describe('histories', { concurrency: 2 }, () => {
  test('that nobody has simulated before break no rule', async (t) => {
    t.diagnostic(await simulated(t, '--from', newSeed, '--seconds', '120', '--pairs'));
  });

  test('happen in the same way a second time', async (t) => {
    t.diagnostic(
      await simulated(t, '--from', String(seed), '--seeds', '20', '--seconds', '600', '--twice'),
    );
  });
});
