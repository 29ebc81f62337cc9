/** Durations as people type them. */

import { invalidInput } from '../domain/errors.ts';

const seconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of `90s`, `5m`, `2h`, `1d` or a plain number of seconds. Throws `invalid_input`. */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  if (match === null) {
    throw invalidInput(`${flag} must be a duration such as 90s, 5m, 2h or 1d, got ${text}`);
  }
  return Number(match[1]) * (seconds[match[2] ?? ''] ?? 1);
}
