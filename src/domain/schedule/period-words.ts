import { list } from './values.ts';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Up to this number a unit is easier to read alone: 90 minutes, 36 hours. */
const mostOfAUnit = 120;

/** A period as a phrase: `Every 5 minutes`, `Every 1 day and 1 minute`. */
export function periodWords(seconds: number): string {
  const [unit, size] = units.find(([, length]) => seconds % length === 0) ?? units[3];
  if (seconds === size) return `Every ${unit}`;
  if (seconds / size <= mostOfAUnit || unit === 'day') return `Every ${seconds / size} ${unit}s`;
  let rest = seconds;
  const parts = units.flatMap(([name, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`];
  });
  return `Every ${list(parts)}`;
}
