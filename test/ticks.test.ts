/** `process.nextTick` stays as fast as V8 first made it, whatever is collected. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const ticks = JSON.stringify(join(import.meta.dirname, '../src/ticks.ts'));

/** What V8 remembers of `process.nextTick` in a process that ticked, collected everything, and ticked again. */
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
  // Optimised code notes nothing, and when it is there depends on how busy the machine is.
  const unoptimised = ['--no-opt', '--no-maglev'];
  const options = [...flags, ...unoptimised, '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return stdout;
}

const isSlow = /DefineKeyedOwnPropertyInLiteral MEGAMORPHIC/;
const isKnown = /DefineKeyedOwnPropertyInLiteral MONOMORPHIC/;

test('the shape of a tick is remembered through a full collection', async () => {
  const output = await rememberedAfter(
    `import { keepTickShape } from ${ticks}; keepTickShape(); await setImmediate();`,
  );
  assert.match(output, isKnown);
  assert.doesNotMatch(output, isSlow);
});

test('node alone forgets it: if this fails, ticks.ts is needed no more', async () => {
  assert.match(await rememberedAfter(''), isSlow);
});
