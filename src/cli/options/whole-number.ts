/** Whole numbers as people type them. */

import { invalidInput } from '../../domain/errors.ts';

/** The number that a flag gives. Throws `invalid_input` for other text, and out of bounds. */
export function parseWholeNumber(
  text: string,
  flag: string,
  { min, max }: { min: number; max: number },
): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  const rule = `must be a whole number between ${min} and ${max}`;
  throw invalidInput(`${flag} ${rule}, got ${text || 'nothing'}`);
}
