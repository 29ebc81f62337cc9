/** A monitor that alternates between up and down does not fill the log. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealthLog } from '../../../src/api/monitors/health-log.ts';
import type { MonitorChange } from '../../../src/domain/monitors/monitor.ts';

function setup() {
  let now = 0;
  const lines: unknown[] = [];
  const logChange = createHealthLog(
    ({ monitor }, changed) => void lines.push([monitor.id, changed]),
    () => now,
  );
  return {
    lines,
    passTo: (ms: number): void => void (now = ms),
    change: (id: string): void =>
      logChange({ monitor: { id }, from: 'up', to: 'down' } as MonitorChange),
  };
}

test('a monitor has one log line in 30 s, and the next line counts the suppressed ones', () => {
  const { lines, passTo, change } = setup();
  for (let number = 0; number < 347; number += 1) change('a');
  change('b');
  passTo(30_000);
  change('a');
  change('b');
  assert.deepEqual(lines, [
    ['a', 1],
    ['b', 1],
    ['a', 347],
    ['b', 1],
  ]);
});

test('with very many monitors some get no log line until others are quiet', () => {
  const { lines, passTo, change } = setup();
  for (let number = 0; number < 20_000; number += 1) change(`${number}`);
  assert.equal(lines.length, 10_000);
  passTo(30_000);
  change('another');
  assert.equal(lines.length, 10_001);
});
