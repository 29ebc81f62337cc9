/** Blanks of HTTP: spaces and tabs, and no others that `trim` takes for one. */

/** A value without the spaces and tabs around it. A pattern for that would try each length of each row of blanks. */
export function withoutBlanks(value: string): string {
  const isBlank = (at: number): boolean => value[at] === ' ' || value[at] === '\t';
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return value.slice(start, end);
}
