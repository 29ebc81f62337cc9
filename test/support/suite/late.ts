/**
 * Loaded before tests: what runs by itself comes late, at random, by up to as many milliseconds as `JOBD_TEST_LATE` says, as on
 * a machine with too much to do. A test that fails then waits for less than the fact it asserts.
 */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seed, seededRandom } from '../dice.ts';

const { JOBD_TEST_LATE: longestMs = '' } = process.env;
const random = seededRandom(seed);

/** Before which statement of which file it rests, and for which share of the time. */
const places = [
  ['engine/loop.ts', 'const restMs = await step();', 1],
  ['engine/alerts/attempts.ts', 'const result = await deliver(', 1],
  ['engine/runs/dispatch.ts', 'const result = beginWithinMs > 0', 1],
  ['store/sqlite/open.ts', 'return await writePatiently(', 0.1],
] as const;

Object.assign(globalThis, {
  late: (share: number) => setTimeout(Math.round(random() * share * Number(longestMs))),
});

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const [, statement, share] = places.find(([file]) => url.endsWith(`/src/${file}`)) ?? [];
    if (statement === undefined) return loaded;
    const text = readFileSync(fileURLToPath(url), 'utf8');
    if (!text.includes(statement)) throw new Error(`${url} has no longer: ${statement}`);
    return { ...loaded, source: text.replace(statement, `await late(${share}); ${statement}`) };
  },
});
