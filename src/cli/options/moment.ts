/** Moments as people type and read them. */

import { parseIsoTime } from '../../domain/clock.ts';
import { got, invalidInput } from '../../domain/errors.ts';
import { parseDuration } from './duration.ts';

/** The moment that a flag names, in epoch milliseconds. Throws `invalid_input` for other text. */
export function parseMoment(text: string, flag: string): number {
  const at = parseIsoTime(text);
  if (at !== null) return at;
  throw invalidInput(
    `${flag} must be a time such as 2026-12-31T00:00:00Z, with an offset or Z, ${got(text)}`,
  );
}

/** The same, or how long before `now` it was, such as `10m`. */
export function parseMomentOrAge(text: string, flag: string, now: number): number {
  return parseMomentOrDuration(text, flag, now, -1);
}

/** The same, or a duration from `now` on, such as `30d`. */
export function parseMomentOrDuration(
  text: string,
  flag: string,
  now: number,
  direction: 1 | -1 = 1,
): number {
  if (/^\d{1,5}[smhd]$/.test(text)) return now + direction * parseDuration(text, flag) * 1_000;
  const at = parseIsoTime(text);
  if (at !== null) return at;
  throw invalidInput(
    `${flag} must be a duration such as 90m, 12h or 30d, or a time such as 2026-12-31T00:00:00Z, with an offset or Z, ${got(text)}`,
  );
}
