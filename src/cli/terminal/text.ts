/** Text of others, as it may stand on a terminal. */

import { stripVTControlCharacters } from 'node:util';
import truncatedWidth from 'fast-string-truncated-width';

/**
 * Controls that steer a terminal, and those that turn the direction of text or break lines (UAX #9, #14). JSON
 * leaves these as they are.
 */
const beyondJson = String.raw`\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`;
const steering = new RegExp(String.raw`[\u0000-\u001f${beyondJson}]+`, 'g');
const steeringInLines = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f${beyondJson}]+`, 'g');
const steeringInJson = new RegExp(`[${beyondJson}]`, 'g');

/** Text of others on one line, without what would steer the terminal. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(steering, ' ');
}

/** The same for text whose line ends and tabs stay, as they are part of the output: `plain` is for a value in it. */
export function plainText(text: string): string {
  // Nearly all text has nothing to strip, and this is called for each line that is written.
  if (text.search(steeringInLines) === -1) return text;
  return stripVTControlCharacters(text).replace(steeringInLines, ' ');
}

/** Text of others in lines that stay lines, each as `plain` leaves it. */
export function plainLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).map((line) => plain(line.replaceAll('\t', '  ')));
}

/** JSON in which the characters that would steer the terminal are escaped, too. */
export function plainJson(json: string): string {
  return json.replace(steeringInJson, escaped);
}

/** A UTF-16 code unit as JSON and YAML escape it. */
export function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
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

/** Wraps words into lines of at most `width` columns; a longer word has a line of its own. */
export function wrapTo(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last === undefined || widthOf(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
