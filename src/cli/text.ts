/** Text of others, as it may stand on a terminal. */

import { stripVTControlCharacters } from 'node:util';
import truncatedWidth from 'fast-string-truncated-width';

/** Controls that steer a terminal, and those that turn the direction of text or break lines (UAX #9, #14). */
const steering =
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** Text of others on one line, without what would steer the terminal. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(steering, ' ');
}

/** The same for text of several lines, which stay lines. */
export function plainLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).map((line) => plain(line.replaceAll('\t', '  ')));
}

/** How many columns a line takes: two for wide characters (UAX #11) and emoji, none for combining marks. */
export function widthOf(line: string): number {
  return truncatedWidth(line).width;
}

/** The line in at most so many columns; what was cut off is an ellipsis. */
export function cutTo(line: string, width: number): string {
  const { index, truncated } = truncatedWidth(line, { limit: width, ellipsis: '…' });
  return truncated ? `${line.slice(0, index)}…` : line;
}

/** The line in exactly so many columns, if it is no longer. */
export function padTo(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)));
}
