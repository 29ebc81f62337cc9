/** Blanks of HTTP: spaces and tabs, and no others that `trim` takes for one. */

/** A value without the spaces and tabs around it. A pattern for that would try each length of each row of blanks. */
export function withoutBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start += 1;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isBlank(character: number): boolean {
  return character === 32 || character === 9;
}
