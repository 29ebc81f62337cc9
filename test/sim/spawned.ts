/** Simulations in a process of their own, as timers and ids are replaced in it; for tests. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

/** Runs `run.ts` with these arguments, and requires that no rule is broken. Returns what it printed. */
export async function simulated(t: TestContext, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), ...args]);
  t.after(() => child.kill());
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  assert.equal(code, 0, `${errors}${out}`);
  return out.trimEnd();
}
