/** Values of a cron field as words need them: in order, as stretches, as steps, and as a list in a sentence. */

/** The values of a set of bits, from `least` to `most`; `offset` is added to each. */
export function valuesOf(bits: number, least: number, most: number, offset = 0): number[] {
  const values: number[] = [];
  for (let value = least; value <= most; value += 1) {
    if ((bits >> value) & 1) values.push(value + offset);
  }
  return values;
}

/** The first and the last of values that follow one another without a gap. */
export type Stretch = readonly [first: number, last: number];

/** The stretches that values are made of. */
export function stretchesOf(values: readonly number[]): Stretch[] {
  const starts = values.filter((value, index) => value - 1 !== values[index - 1]);
  const ends = values.filter((value, index) => value + 1 !== values[index + 1]);
  return starts.map((start, index) => [start, ends[index] ?? start]);
}

/** The distance between values that are equally far from each other; null if they are not, or fewer than three. */
export function stepOf(values: readonly number[]): number | null {
  const [first = 0, second = 0, third] = values;
  const step = second - first;
  const isRegular = values.every((value, index) => value === first + index * step);
  return third !== undefined && isRegular ? step : null;
}

/** `a`, `a and b`, `a, b and c`. */
export function list(items: readonly string[]): string {
  return items.length < 2
    ? (items[0] ?? '')
    : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** A number as in a date: 1st, 22nd. */
export function ordinal(value: number): string {
  const ending = value > 3 && value < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}
