/** What kept a process from starting runs, as it notices it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHindrances } from '../../../src/engine/runs/hindrances.ts';
import { fakeClock } from '../../support/fakes/clock.ts';

const start = Date.parse('2026-03-02T10:00:00Z');

function setup() {
  const clock = fakeClock(start);
  const { look, ended, known } = createHindrances(clock);
  return {
    clock,
    known,
    /** Looks after a second, as the claim loop does. */
    look: (isUsable = true, passedMs = 1_000): void => {
      clock.advanceBoth(passedMs);
      look();
      ended(isUsable);
    },
  };
}

test('a second of rest, a pause after a failure, and a clock that is set back are none', () => {
  const { clock, look, known } = setup();
  for (const passedMs of [0, 1_000, 5_000, 9_999]) look(true, passedMs);
  clock.advance(-3_600_000);
  look();
  assert.deepEqual(known(), []);
});

test('an outage lasts from its first failure to the look that succeeds', () => {
  const { look, known } = setup();
  look();
  for (let failed = 0; failed < 9; failed += 1) look(false);
  look();
  look();
  assert.deepEqual(known(), [{ reason: 'outage', from: start + 2_000, until: start + 11_000 }]);
  look(false);
  assert.equal(known().length, 2, 'another one');
});

test('a process that was stopped stood still, and one whose wall clock gained slept or was set', () => {
  const { clock, look, known } = setup();
  look();
  look(true, 180_000);
  clock.advance(3_600_000);
  look();
  assert.deepEqual(known(), [
    { reason: 'standstill', from: start + 1_000, until: start + 181_000 },
    { reason: 'clock', from: start + 182_000, until: start + 3_782_000 },
  ]);
});

test('a step of the wall clock during a look is known at once', () => {
  const clock = fakeClock(start);
  const { look, known } = createHindrances(clock);
  look();
  clock.advance(3_600_000);
  assert.deepEqual(known(), [{ reason: 'clock', from: start, until: start + 3_600_000 }]);
  assert.equal(known().length, 1);
});

test('the last twenty are remembered', () => {
  const { look, known } = setup();
  for (let stopped = 0; stopped < 30; stopped += 1) look(true, 20_000);
  assert.equal(known().length, 20);
  assert.equal(known().at(-1)?.until, start + 600_000);
});
