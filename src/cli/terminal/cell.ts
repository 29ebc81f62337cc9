/** Values in tables and fields: relative times and colours for people, plain text for programs. */

import { styleText } from 'node:util';
import { cutTo, cutUrl, plain } from './text.ts';

/** A time, in ISO 8601 as the API gives it. */
export interface Moment {
  at: string | null;
}

/** A state, or other words that are never cut. They are always printed; the colour of a state only helps to find it. */
export interface State {
  state: string;
}

/** An id, after words if there are any. A terminal shows its beginning, by which the rows of a table can be told apart. */
export interface Id {
  id: string | null;
  words?: string;
}

/** A URL. Where it is too long, its middle is left out. */
export interface Url {
  url: string;
}

export type Cell = string | number | boolean | null | Moment | State | Id | Url;

export const moment = (at: string | null): Moment => ({ at });
/** Makes a cell of an id, after `words` if they are given. */
export const idCell = (id: string | null, words?: string): Id => ({
  id,
  ...(words !== undefined && { words }),
});
export const urlCell = (url: string): Url => ({ url });
export const state = (word: string): State => ({ state: word });

/** The text of a cell, without colours. */
export function cellText({ isTerminal }: { isTerminal: boolean }, cell: Cell, now: number): string {
  if (cell === null) return '-';
  if (typeof cell !== 'object') return plain(String(cell));
  if ('state' in cell) return plain(cell.state);
  if ('url' in cell) return plain(cell.url);
  if ('id' in cell) {
    return cell.id === null ? '-' : plain(cell.words ? `${cell.words} ${cell.id}` : cell.id);
  }
  if (cell.at === null) return '-';
  return isTerminal ? sinceOrUntil(cell.at, now) : plain(cell.at);
}

/** Whether a cell may be cut: ids, states, times and numbers may not. */
export function isCuttable(cell: Cell): boolean {
  return typeof cell === 'string' || isUrl(cell);
}

/** The text of a cell, cut to at most `width` columns. */
export function cutCell(cell: Cell, text: string, width: number): string {
  return isUrl(cell) ? cutUrl(text, width) : cutTo(text, width);
}

function isUrl(cell: Cell): cell is Url {
  return cell !== null && typeof cell === 'object' && 'url' in cell;
}

/** Ids begin with the time: the milliseconds take 13 characters. */
const shortestId = 13;

/** How many characters of these ids are enough to tell them apart. */
export function lengthOfShortIds(ids: readonly string[]): number {
  const distinct = new Set(ids).size;
  let length = shortestId;
  while (length < 36 && new Set(ids.map((id) => id.slice(0, length))).size < distinct) length += 1;
  return length;
}

/** A time of the API relative to now (epoch milliseconds), as `relativeTime`; as it is if it is none. */
export function sinceOrUntil(time: string, now: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? plain(time) : relativeTime(at, now);
}

/** A time relative to now: `in 3 min`, `2 h ago`. Both are epoch milliseconds. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round(Math.abs(at - now) / 1_000);
  if (seconds === 0) return 'now';
  const [unit, size] = units.find(([, unitSeconds]) => seconds >= 2 * unitSeconds) ?? ['s', 1];
  const length = `${Math.round(seconds / size)} ${unit}`;
  return at > now ? `in ${length}` : `${length} ago`;
}

/** A unit is used from two of it on: hours up to two days, minutes up to two hours, seconds up to two minutes. */
const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

const colours: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'cyan' | 'gray'>> = {
  up: 'green',
  success: 'green',
  delivered: 'green',
  active: 'green',
  ok: 'green',
  down: 'red',
  failed: 'red',
  expired: 'red',
  fail: 'red',
  refused: 'red',
  late: 'yellow',
  missed: 'yellow',
  warn: 'yellow',
  interrupted: 'yellow',
  running: 'cyan',
  queued: 'cyan',
  pending: 'cyan',
  paused: 'gray',
};

/** Colours the text of a cell, if it has a colour and the output shows colours. */
export function coloured({ hasColour }: { hasColour: boolean }, cell: Cell, text: string): string {
  if (!hasColour || cell === null || typeof cell !== 'object' || !('state' in cell)) return text;
  const colour = Object.hasOwn(colours, cell.state) ? colours[cell.state] : undefined;
  // `hasColour` decided: styleText must not check the streams again.
  return colour === undefined ? text : styleText(colour, text, { validateStream: false });
}
