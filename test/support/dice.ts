/**
 * Everything random in tests comes from one seed, so that a run can be repeated.
 *
 *   JOBD_TEST_SEED=42   the seed, of 32 bits (default: always the same)
 */

import type { TestContext } from 'node:test';

/** The seed of this run. */
export const seed = Number(process.env['JOBD_TEST_SEED'] || 20_261_126) >>> 0;

/** What repeats the random choices of this run, for messages. */
export const repeatedBy = `JOBD_TEST_SEED=${seed}`;

/** Numbers from 0 to 1, 1 excluded, from the seed of this run, which the test tells. */
export function rollDice(t: TestContext): () => number {
  t.diagnostic(`repeated by ${repeatedBy}`);
  return seededRandom(seed);
}

/** Numbers from 0 to 1, 1 excluded, from a 32-bit seed (mulberry32). */
export function seededRandom(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomBytes(random: () => number, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
}
