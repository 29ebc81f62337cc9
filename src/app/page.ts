/** Pages of lists. A cursor is the position where the previous page ended; clients must not interpret it. */

import { ifPossible, invalidInput } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import type { Selector } from '../domain/labels.ts';
import type { LabelledPage } from '../store/database/named.ts';
import type { RunPosition } from '../store/runs/runs.ts';
import { inSteps, labelledPerStep } from './steps.ts';

export interface PageRequest {
  /** 1 to 100. */
  limit: number;
  cursor: string | null;
}

/** What a list of named things is limited to. */
export interface NamedRequest extends PageRequest {
  /** Only those with exactly this name; null for all. */
  name: string | null;
  /** Only those whose ids begin so; null for all. */
  idPrefix: string | null;
}

/** What a list of things with names and labels is limited to. */
export interface LabelledRequest extends NamedRequest {
  /** Only those whose labels fit. */
  selector?: Selector | null;
}

/** A page, and the cursor of the next one; null if there is none. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** A page of a list that stops after a bounded number of rows, full or not. */
export interface PartialPage<T> extends Page<T> {
  /** Whether it stopped before it was full: the cursor continues from there. */
  isPartial: boolean;
}

/** Makes such a page. `stop` is where the list stopped looking, undefined if it looked at all that is left. */
export function partialPageOf<T extends Place, Place>(
  found: T[],
  limit: number,
  stop: Place | undefined,
  cursorOf: (place: Place) => string,
): PartialPage<T> {
  const { items, nextCursor: next } = pageOf(found, limit, cursorOf);
  const nextCursor = next ?? (stop === undefined ? null : cursorOf(stop));
  return { items, nextCursor, isPartial: nextCursor !== null && items.length < limit };
}

/** Tells when a page is full: with the item with which it has more than 1 MB. A job may have 200 KB, and clients may be slow. */
export function createFill(): (item: unknown) => boolean {
  let size = 0;
  return (item) => (size += sizeOf(item)) > 1_000_000;
}

/** About how many bytes a value has as JSON, in a fifth of the time of writing it: only what long texts become is looked at. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string' && value.length > 64)
    return Buffer.byteLength(JSON.stringify(value));
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  const fields = value as Record<string, unknown>;
  let size = 2;
  for (const name in fields) size += name.length + 4 + sizeOf(fields[name]);
  return size;
}

/** Makes a page of up to `limit + 1` found items, or fewer large ones. Those left over say that there is a next page. */
export function pageOf<T>(found: T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const items = found.slice(0, Math.min(limit, found.findIndex(createFill()) + 1 || limit));
  const last = items.at(-1);
  const nextCursor = found.length > items.length && last ? cursorOf(last) : null;
  return { items, nextCursor };
}

/** The page that is asked of a list in the order of ids, of which `find` finds one more. Throws `invalid_input` for a cursor of another list. */
export async function idPage<Item extends { id: string }, Wanted>(
  list: string,
  { limit, cursor, ...wanted }: PageRequest & Wanted,
  find: (
    page: Omit<Wanted, keyof PageRequest> & { limit: number; before: string | null },
  ) => Promise<Item[]>,
): Promise<Page<Item>> {
  const before = cursor === null ? null : parseIdCursor(list, cursor);
  const filters = wanted as Omit<Wanted, keyof PageRequest>;
  const found = await find({ ...filters, limit: limit + 1, before });
  return pageOf(found, limit, ({ id }) => idCursor(list, id));
}

/** Rows that one request reads to find labels, in steps. */
const mostLabelled = 5_000;

/**
 * The same of a list that may be limited to labels: `findStop` finds the id at which it must stop so that it reads `rows` rows
 * at most. Then a page may end before it is full.
 */
export async function labelledPage<Item extends { id: string }>(
  list: string,
  request: LabelledRequest,
  find: (page: LabelledPage) => Promise<Item[]>,
  findStop: (span: { before: string | null; rows: number }) => Promise<string | undefined>,
): Promise<Page<Item>> {
  if (!request.selector) return await idPage(list, request, find);
  const { limit, cursor, ...wanted } = request;
  const rows = labelledPerStep;
  const after = cursor === null ? null : parseIdCursor(list, cursor);
  const { found, stop } = await inSteps<Item, string>(
    { steps: mostLabelled / rows, after, count: limit + 1 },
    async (before, count) => {
      const downTo = await findStop({ before, rows });
      return { found: await find({ ...wanted, before, downTo, limit: count }), stop: downTo };
    },
  );
  const place = stop === undefined ? undefined : { id: stop };
  return partialPageOf(found, limit, place, ({ id }) => idCursor(list, id));
}

/** The cursor of a list that is ordered by id or by number. Every cursor holds the name of its list, and fits no other one. */
export function idCursor(list: string, id: string | number): string {
  return encode(list, id);
}

/** Reads a cursor of `idCursor`; throws `invalid_input`. */
export function parseIdCursor(list: string, cursor: string): string {
  const id = decode(list, cursor);
  if (!isId(id)) throw badCursor(cursor);
  return id;
}

/** Reads a cursor of a list that is ordered by whole numbers; throws `invalid_input`. */
export function parseNumberCursor(list: string, cursor: string): number {
  const number = decode(list, cursor);
  if (!/^\d{1,15}$/.test(number)) throw badCursor(cursor);
  return Number(number);
}

/** The cursor of a list of runs. */
export function runCursor(list: string, { scheduledFor, source }: RunPosition): string {
  return encode(list, `${scheduledFor} ${source}`);
}

/** Reads a cursor of `runCursor`; throws `invalid_input`. */
export function parseRunCursor(list: string, cursor: string): RunPosition {
  const match = /^(\d{1,15}) (scheduled|manual)$/.exec(decode(list, cursor));
  if (match === null) throw badCursor(cursor);
  return { scheduledFor: Number(match[1]), source: match[2] as RunPosition['source'] };
}

/** The cursor of a list that is ordered by several values. */
export function placeCursor(list: string, place: readonly (string | number | null)[]): string {
  return encode(list, JSON.stringify(place));
}

/** Reads a cursor of `placeCursor`; throws `invalid_input` unless its parts are a place. */
export function parsePlaceCursor<Place extends readonly unknown[]>(
  list: string,
  cursor: string,
  isPlace: (parts: readonly unknown[]) => parts is Place,
): Place {
  const parts = ifPossible(() => JSON.parse(decode(list, cursor)) as unknown);
  if (!isPlace(Array.isArray(parts) ? parts : [])) throw badCursor(cursor);
  return parts as Place;
}

function encode(list: string, position: string | number): string {
  return Buffer.from(`${list} ${position}`).toString('base64url');
}

/** The position; empty if the cursor is of another list. */
function decode(list: string, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const isWhole = Buffer.from(text).toString('base64url') === cursor;
  return isWhole && text.startsWith(`${list} `) ? text.slice(list.length + 1) : '';
}

function badCursor(cursor: string) {
  const got = JSON.stringify(cursor.slice(0, 40));
  return invalidInput(`cursor must be a nextCursor of this list, got ${got}`);
}
