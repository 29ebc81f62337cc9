/** Durations as people type and read them. */

import { invalidInput } from '../../domain/errors.ts';

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of `90s`, `5m`, `2h`, `1d` or a plain number of seconds. Throws `invalid_input`. */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  if (match === null) {
    throw invalidInput(`${flag} must be a duration such as 90s, 5m, 2h or 1d, got ${text}`);
  }
  return Number(match[1]) * (unitSeconds[match[2] ?? ''] ?? 1);
}

/** What `parseDuration` reads as so many seconds, in the largest unit that says it: `90s`, `5m`, `1d`. */
export function durationOf(seconds: number): string {
  const units = Object.entries(unitSeconds);
  const [unit, size] = units.findLast(([, length]) => seconds % length === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}

/** The two largest units of a duration in milliseconds, a part of a second counting as one: `3 h 20 min`. */
export function durationText(ms: number): string {
  let rest = Math.ceil(ms / 1_000);
  const parts = units.map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { name, count };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2);
  return shown
    .filter(({ count }, index) => index === 0 || count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(' ');
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;
