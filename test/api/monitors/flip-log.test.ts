/** A ping URL that alternates does not fill the log. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFlipLog } from '../../../src/api/monitors/flip-log.ts';
import type { Flip } from '../../../src/domain/monitors/monitor.ts';

function setup() {
  let now = 0;
  const lines: unknown[] = [];
  const info = (about: unknown): void => void lines.push(about);
  const logFlip = createFlipLog({ info }, () => now);
  return {
    lines,
    passTo: (ms: number): void => void (now = ms),
    flip: (id: string): void => logFlip({ monitor: { id }, from: 'up', to: 'down' } as Flip),
  };
}

test('a monitor has a line in 30 s, and the next one counts what was left out', () => {
  const { lines, passTo, flip } = setup();
  for (let number = 0; number < 347; number += 1) flip('a');
  flip('b');
  passTo(30_000);
  flip('a');
  flip('b');
  const line = { from: 'up', to: 'down' };
  assert.deepEqual(lines, [
    { monitorId: 'a', ...line },
    { monitorId: 'b', ...line },
    { monitorId: 'a', ...line, changed: 347 },
    { monitorId: 'b', ...line },
  ]);
});

test('of very many monitors some have no line, until others are quiet', () => {
  const { lines, passTo, flip } = setup();
  for (let number = 0; number < 20_000; number += 1) flip(`${number}`);
  assert.equal(lines.length, 10_000);
  passTo(30_000);
  flip('another');
  assert.equal(lines.length, 10_001);
});
