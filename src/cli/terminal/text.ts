/** Text on a terminal: made safe to print, and fitted to columns. */

import truncatedWidth from 'fast-string-truncated-width';
import { blankControls, blankControlsInLines } from '../../domain/one-line.ts';

/** Makes untrusted text safe as a value on one line. */
export function plain(text: string): string {
  return blankControls(text);
}

/** Makes untrusted text safe, but keeps its line ends and tabs. */
export function plainText(text: string): string {
  return blankControlsInLines(text);
}

/** Splits untrusted text into lines, each as `plain` leaves it. */
export function plainLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).map((line) => plainText(line).replaceAll('\t', '  '));
}

/** The columns that a line takes: two for wide characters (UAX #11) and emoji, none for combining marks. */
export function widthOf(line: string): number {
  return truncatedWidth(line).width;
}

/** Cuts a line to at most `width` columns, ending with an ellipsis. */
export function cutTo(line: string, width: number): string {
  const { index, truncated } = truncatedWidth(line, { limit: width, ellipsis: '…' });
  if (!truncated) return line;
  const kept = Array.from(line.slice(0, index));
  // The index counts no narrow characters such as – just before it, and may be too far.
  while (kept.length > 0 && widthOf(kept.join('')) >= width) kept.pop();
  return `${kept.join('')}…`;
}

/**
 * Cuts a URL to at most `width` columns so that its host and the end of its path can be seen: without its scheme, then without
 * its query, then without its middle (`exampl…/backup`).
 */
export function cutUrl(url: string, width: number): string {
  if (widthOf(url) <= width) return url;
  const rest = url.replace(/^https?:\/\//, '');
  if (widthOf(rest) <= width) return rest;
  const [place = '', ...more] = rest.split(/(?=[?#])/);
  if (more.length > 0 && widthOf(place) < width) return `${place}…`;
  const lastPart = /[^/]*\/?$/.exec(place)?.[0] ?? '';
  const tail = endOf(place, Math.min(widthOf(lastPart) + 1, Math.ceil((width - 1) * 0.6)));
  return `${cutTo(place, width - widthOf(tail)).replace(/…$/, '')}…${tail}`;
}

/** The last characters of a text that take at most `width` columns. */
function endOf(text: string, width: number): string {
  const end = Array.from(text).slice(-Math.max(1, width));
  while (end.length > 0 && widthOf(end.join('')) > width) end.shift();
  return end.join('');
}

/** Fills a line with spaces to `width` columns. */
export function padTo(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)));
}

/** Wraps words into lines of at most `width` columns; a longer word gets a line of its own. */
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
