/**
 * The offsets of a time zone as spans of time. They are found by asking the time-zone data in use (Intl takes about 1 µs) for
 * every third day of a year, and bisecting where the answers differ; that costs about 0.2 ms per zone
 * and year, once. All times are whole UTC minutes since 1970: an offset with seconds, as before
 * standard time, is rounded down.
 */
import { LRUCache } from 'lru-cache';
import { minutesPerDay } from './calendar.ts';
import type { OffsetAt } from './tzif.ts';
import { zoneFiles, type ZoneFiles } from './zone-data.ts';

/** A period of time with one offset. */
export interface Span {
  /** First minute, UTC. */
  readonly start: number;
  /** First minute after it, UTC. */
  readonly end: number;
  /** Local minus UTC, in minutes. */
  readonly offset: number;
  /** The minute of the change to this offset: `start`, or earlier if `start` begins a year. */
  readonly changedAt: number;
  /** The offset in the minute before `changedAt`. */
  readonly before: number;
}

/** No zone ever changed twice within three days (closest: Freetown 1939, four; Gaza 2040, seven). */
const stepMinutes = 3 * minutesPerDay;
/** Reading begins a little before the year, to see whether its first minute is a change. */
const lookBackMinutes = 3 * minutesPerDay;

const zones = new LRUCache<string, Map<number, readonly Span[]>>({ max: 700 });
/** What the spans in `zones` were read from; null for Intl. */
let readFrom: ZoneFiles | null = null;
/** A search reads up to 42 years; a year takes about 700 bytes. */
const maxYearsPerZone = 48;

/** The span that contains a UTC minute. Throws RangeError for a name that the data in use does not have. */
export function spanAt(timezone: string, minute: number): Span {
  const year = new Date(minute * 60_000).getUTCFullYear();
  const spans = yearsOf(timezone);
  let table = spans.get(year);
  if (table === undefined) {
    table = readYear(timezone, year);
    if (spans.size >= maxYearsPerZone) spans.clear();
    spans.set(year, table);
  }
  for (const span of table) if (minute < span.end) return span;
  throw new RangeError(`minute ${minute} is not in the year ${year}`);
}

function yearsOf(timezone: string): Map<number, readonly Span[]> {
  const files = zoneFiles();
  if (files !== readFrom) zones.clear();
  readFrom = files;
  let years = zones.get(timezone);
  if (years === undefined) {
    years = new Map();
    zones.set(timezone, years);
  }
  return years;
}

function readYear(timezone: string, year: number): readonly Span[] {
  const offsetAt = zoneFiles()?.read(timezone) ?? offsetReader(timezone);
  const until = Date.UTC(year + 1, 0, 1) / 60_000;
  const yearStart = Date.UTC(year, 0, 1) / 60_000;
  const spans: Span[] = [];
  let changedAt = yearStart - lookBackMinutes;
  let offset = offsetAt(changedAt);
  let before = offset;
  const close = (end: number): void => {
    const start = Math.max(changedAt, yearStart);
    if (start < end) spans.push({ start, end, offset, changedAt, before });
  };
  for (let at = changedAt; at < until; at += stepMinutes) {
    const next = Math.min(at + stepMinutes, until);
    if (offsetAt(next) === offset) continue;
    const change = changeBetween(offsetAt, at, next);
    close(change);
    before = offset;
    offset = offsetAt(change);
    changedAt = change;
  }
  close(until);
  return spans;
}

/** The first minute in (from, until] whose offset is not that of `from`. */
function changeBetween(offsetAt: OffsetAt, from: number, until: number): number {
  const old = offsetAt(from);
  let same = from;
  let changed = until;
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetAt(middle) === old) same = middle;
    else changed = middle;
  }
  return changed;
}

function offsetReader(timezone: string): OffsetAt {
  // It ends in "GMT+02:00", "GMT-00:44:30" or "GMT".
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  return (minute) => {
    const text = format.format(minute * 60_000);
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
    if (match === null) throw new RangeError(`no offset of ${timezone} in "${text}"`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
    const total = Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
    return Math.floor(sign === '-' ? -total : total);
  };
}
