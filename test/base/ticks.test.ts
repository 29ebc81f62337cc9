/** `process.nextTick` stays as fast as V8 first optimized it, after any garbage collection. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const ticks = JSON.stringify(join(import.meta.dirname, '../../src/base/ticks.ts'));

/**
 * V8's optimization data of `process.nextTick` in a process that ticked, collected all garbage, and
 * ticked again.
 */
async function rememberedAfter(beginning: string): Promise<string> {
  const script = `
    import { setImmediate } from 'node:timers/promises';
    ${beginning}
    const tick = async () => {
      for (let index = 0; index < 1_000; index += 1) process.nextTick(() => {});
      await setImmediate();
    };
    await tick();
    for (let index = 0; index < 5; index += 1) { await setImmediate(); gc(); }
    await tick();
    %DebugPrint(process.nextTick);`;
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module'];
  // Optimized code records no data, and when it exists depends on how busy the machine is.
  const unoptimised = ['--no-opt', '--no-maglev'];
  const options = [...flags, ...unoptimised, '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return stdout;
}

const isSlow = /DefineKeyedOwnPropertyInLiteral MEGAMORPHIC/;
const isKnown = /DefineKeyedOwnPropertyInLiteral MONOMORPHIC/;

test('the shape of a tick survives a full garbage collection', async () => {
  const output = await rememberedAfter(
    `import { keepTickShape } from ${ticks}; keepTickShape(); await setImmediate();`,
  );
  assert.match(output, isKnown);
  assert.doesNotMatch(output, isSlow);
});

test('Node alone forgets it: if this test fails, base/ticks.ts is no longer needed', async () => {
  assert.match(await rememberedAfter(''), isSlow);
});
