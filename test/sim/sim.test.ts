/** Simulated histories (docs/simulation.md). What is printed repeats one that breaks a rule. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { seed } from '../support/dice.ts';

/** So many histories, of other seeds with another `JOBD_TEST_SEED`. `npm run sim` simulates new ones. */
const histories = 5;

async function run(t: TestContext, ...args: string[]): Promise<string> {
  // In a process of its own: timers and ids are replaced in it.
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), ...args]);
  t.after(() => child.kill());
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  assert.equal(code, 0, `${errors}${out}`);
  return out;
}

const hashOf = (out: string): string => /^hash (\w+)$/m.exec(out)?.[1] ?? out;

test('a seed is a history: it happens in the same way each time', async (t) => {
  const [first, again] = await Promise.all([run(t, '--seed', '11'), run(t, '--seed', '11')]);
  assert.match(hashOf(first), /^\w{64}$/);
  assert.equal(hashOf(again), hashOf(first));
});

test('histories break no rule', async (t) => {
  const args = ['--from', String(seed), '--seeds', String(histories), '--seconds', '600'];
  t.diagnostic((await run(t, ...args)).trimEnd());
});
