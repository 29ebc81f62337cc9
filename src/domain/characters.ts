/** Lengths of texts count characters: Unicode code points, as the limits of the API do. */

import { invalidInput } from './errors.ts';

/** How many characters a text has. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Demands a text of at most so many characters. Throws `invalid_input`, which does not repeat it. */
export function checkLength(field: string, text: string, longest: number): void {
  const length = characterCount(text);
  if (length <= longest) return;
  throw invalidInput(`${field} must be at most ${longest} characters, got ${length}`);
}
