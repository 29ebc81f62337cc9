/** A monitor that alternates between up and down does not fill the log, and its last line is true. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealthLog } from '../../../src/api/monitors/health-log.ts';
import type { MonitorChange } from '../../../src/domain/monitors/monitor.ts';
import { fakeClock } from '../../support/fakes/clock.ts';

function setup() {
  const clock = fakeClock(0, { timers: 'fake' });
  const lines: unknown[] = [];
  const log = createHealthLog(
    async ({ monitor, to, at }, { changed, isLate }) =>
      void lines.push([monitor.id, to, changed, ...(isLate ? [at] : [])]),
    clock,
  );
  return {
    log,
    lines,
    pass: (ms: number) => clock.advanceBoth(ms),
    change: (id: string, to: 'up' | 'down'): void =>
      log.add({ monitor: { id }, to, at: clock.now() } as MonitorChange),
  };
}

test('what changes after a line is in the next one, 30 s later, without another change', () => {
  const { lines, pass, change } = setup();
  change('a', 'up');
  pass(10_000);
  change('b', 'up');
  change('a', 'down');
  change('b', 'down');
  assert.deepEqual(lines.splice(0), [
    ['a', 'up', 1],
    ['b', 'up', 1],
  ]);
  pass(19_999);
  assert.deepEqual(lines, []);
  pass(1);
  assert.deepEqual(lines.splice(0), [['a', 'down', 1, 10_000]]);
  pass(10_000);
  assert.deepEqual(lines.splice(0), [['b', 'down', 1, 10_000]]);
  pass(60_000);
  assert.deepEqual(lines, [], 'once');
  change('a', 'up');
  assert.deepEqual(lines, [['a', 'up', 1]], 'at once, as the pause is over');
});

test('a monitor that is changed by every ping has one line in 30 s, which counts the changes', () => {
  const { lines, pass, change } = setup();
  for (let second = 0; second < 61; second += 1) {
    change('a', 'up');
    change('a', 'down');
    pass(1_000);
  }
  assert.deepEqual(lines, [
    ['a', 'up', 1],
    ['a', 'down', 59, 29_000],
    ['a', 'down', 60, 59_000],
  ]);
});

test('a line that waits when jobd stops is written', async () => {
  const { log, lines, change } = setup();
  for (const to of ['up', 'down', 'up', 'down'] as const) change('a', to);
  await log[Symbol.asyncDispose]();
  assert.deepEqual(lines, [
    ['a', 'up', 1],
    ['a', 'down', 3, 0],
  ]);
});

test('with very many monitors some get no log line until others are quiet', () => {
  const { lines, pass, change } = setup();
  for (let number = 0; number < 20_000; number += 1) change(`${number}`, 'down');
  assert.equal(lines.length, 10_000);
  pass(30_000);
  change('another', 'down');
  assert.equal(lines.length, 10_001);
});
