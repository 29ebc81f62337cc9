/** What only one of all processes does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alone, onDuty } from '../../../src/engine/nodes/membership.ts';
import { fakeClock } from '../../support/fakes/clock.ts';

test('a duty hears each time that another process may have had it meanwhile', async () => {
  let keeps = true;
  const heard: boolean[] = [];
  const membership = { ...alone(fakeClock()), leads: () => keeps };
  const step = onDuty(membership, async (begins) => heard.push(begins));
  for (const next of [true, true, false, false, true, true]) {
    keeps = next;
    await step();
  }
  assert.deepEqual(heard, [true, false, true, false]);
});
