/** A length in its two largest units: `2 h 4 min`, `1 d`. A second unit of which there is none is left out. */
export function inTwoUnits(seconds: number, { minute }: { minute: 'min' | 'm' }): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    [minute, 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first === -1) return '0 s';
  let rest = seconds;
  return units
    .slice(first, first + 2)
    .flatMap(([name, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count === 0 ? [] : [`${count} ${name}`];
    })
    .join(' ');
}

/** The units in which people write a length of time, in seconds. */
export const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Formats seconds in the largest unit that divides them, so that `parseDuration` reads it: `90s`, `5m`. */
export function durationOf(seconds: number): string {
  if (seconds === 0) return '0s';
  const units = Object.entries(unitSeconds);
  const [unit, size] = units.findLast(([, length]) => seconds % length === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}
