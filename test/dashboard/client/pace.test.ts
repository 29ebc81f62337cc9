/** How often something is asked again, in simulated time. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { replaceGlobals } from '../../support/globals.ts';

/** What `src/dashboard/client/pace.ts`, which is written for browsers, makes. */
interface Pace {
  ask: () => void;
  failed: (failure: { status: number; retryAfter: number | null }) => void;
}

const path = '../../../src/dashboard/client/pace.ts';
const { createPace } = (await import(path)) as {
  createPace: (load: () => Promise<void>) => Pace;
};

/** A pace, the seconds at which it asked, and what lets time pass in steps of 100 ms. */
function paceOf(t: TestContext, { isInUse = true } = {}) {
  replaceGlobals(t, { document: { hasFocus: () => isInUse } });
  const beganAt = 1_800_000_000_000;
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: beganAt });
  const asked: number[] = [];
  const pace = createPace(async () => void asked.push((Date.now() - beganAt) / 1_000));
  const pass = async (seconds: number, each: () => void = () => {}): Promise<void> => {
    for (let step = 0; step < seconds * 10; step += 1) {
      each();
      t.mock.timers.tick(100);
      await setImmediate();
    }
  };
  return { pace, asked, pass };
}

test('a storm of changes is asked about less and less often: every 5 s in the end', async (t) => {
  const { pace, asked, pass } = paceOf(t);
  await pass(30, pace.ask);
  assert.deepEqual(asked.map(Math.floor), [0, 1, 3, 7, 12, 17, 22, 27]);
  await pass(30);
  assert.equal(asked.length, 9, 'the last change is asked about, too');
});

test('a window in which nobody works asks every 15 s in the end', async (t) => {
  const { pace, asked, pass } = paceOf(t, { isInUse: false });
  await pass(60, pace.ask);
  assert.deepEqual(asked.map(Math.floor), [0, 1, 3, 7, 15, 30, 45]);
});

test('a server that said how long to wait is not asked before', async (t) => {
  const { pace, asked, pass } = paceOf(t);
  pace.failed({ status: 429, retryAfter: 40 });
  await pass(39, pace.ask);
  assert.deepEqual(asked, []);
  await pass(2);
  assert.equal(asked.length, 1);
});
