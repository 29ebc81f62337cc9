/** The mistakes that the tests are to notice. What each test file holds is seen by leaving its promise out of the code. */

import { join } from 'node:path';
import { domainMutants } from './domain.ts';
import { engineMutants } from './engine.ts';
import type { Mutant } from './mutant.ts';
import { outsideMutants } from './outside.ts';
import { storeMutants } from './store.ts';

export type { Mutant };

export const mutants: readonly Mutant[] = [
  ...domainMutants,
  ...storeMutants,
  ...engineMutants,
  ...outsideMutants,
];

/** The root of the project. */
export const root = join(import.meta.dirname, '../..');

/** The file with the mistake in it. Throws if its text is not there exactly once, so that the mutant is out of date. */
export function mutated({ breaks, file, text, becomes }: Mutant, source: string): string {
  const [before, after, ...more] = source.split(text);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`out of date: "${breaks}": src/${file} must have this text once: ${text}`);
  }
  return before + becomes + after;
}
