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
