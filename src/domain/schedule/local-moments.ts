/** When the clocks of a zone show a time. The zone must have passed `canonicalZone`. */

import { parseIsoTime } from '../clock.ts';
import { got, invalidInput } from '../errors.ts';
import { timeIn } from './local-time.ts';
import { spanAt } from './offset.ts';

const msPerMinute = 60_000;
const minutesPerDay = 1_440;

/** The instants of a local time, in epoch milliseconds. */
export interface LocalMoments {
  /** The first one; where the clocks skip the time, the moment at which they are set forward. */
  first: number;
  /** The second one, where the clocks show the time twice. */
  second: number | null;
  isSkipped: boolean;
}

/** `2026-11-24 02:30`, with a `T` or a space, with or without seconds; or the time alone. */
const localPattern = /^(?:(\d{4})-(\d\d)-(\d\d)[T ])?([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** Reads a local time, whose date is null if it has none. Null for any other text. */
export function parseLocal(text: string): { date: LocalDate | null; time: LocalTime } | null {
  const [whole, year, month, day, hour, minute, second = '0'] = localPattern.exec(text) ?? [];
  if (whole === undefined) return null;
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  const isDated = year !== undefined;
  const date = isDated ? { year: Number(year), month: Number(month), day: Number(day) } : null;
  return { date, time };
}

const earliest = Date.UTC(1970);
const latest = Date.UTC(3000) - 1;

/** Checks that every due time after an instant has a year of four digits. Throws `invalid_input`, naming the field. */
export function checkYear(field: string, text: string, at: number): void {
  if (at >= earliest && at <= latest) return;
  throw invalidInput(`${field} must be in the years 1970 to 2999, ${got(text)}`);
}

/**
 * Reads a time in RFC 3339, or in a zone: the first time that its clocks show it, or the moment at which they skip it. A time of day
 * alone is the `last` one up to `now`, or the `next` one after it. Null for any other text, and for that without a `now`.
 */
export function momentOf(text: string, zone: string, now: number | null, which: 'last' | 'next') {
  const given = text.trim();
  const instant = parseIsoTime(given.replace(' ', 'T'));
  const local = parseLocal(given);
  if (instant !== null || local === null) return instant;
  const { date, time } = local;
  const upTo = (at: number): number | null => localMoments(zone, date, time, at)?.first ?? null;
  if (date !== null) return upTo(0);
  if (now === null || which === 'last') return now && upTo(now);
  // Where clocks are set, a day has 22 to 26 hours.
  const soon = upTo(now + 22 * 3_600_000);
  return soon !== null && soon > now ? soon : upTo(now + 26 * 3_600_000);
}

/** The same, for a field; a time of day is the next one. Throws `invalid_input`, naming the field, and what it takes. */
export function readMoment(field: string, text: string, zone: string, now: number | null = null) {
  const at = momentOf(text, zone, now, 'next');
  if (at === null) {
    const orElse = now === null ? '' : ', or a time of day such as 06:00';
    const right = `2026-12-01T09:00:00Z, or 2026-12-01 09:00 in its time zone${orElse}`;
    throw invalidInput(`${field} must be a date and time such as ${right}, ${got(text)}`);
  }
  checkYear(field, text, at);
  return at;
}

/** What the clocks of a zone make of a local time with a date, in a sentence; null where they show it once, and for any other text. */
export function clockNote(text: string, zone: string): string | null {
  const { date = null, time } = parseLocal(text.trim()) ?? {};
  const found = date === null || time === undefined ? null : localMoments(zone, date, time, 0);
  if (found === null) return null;
  const { first, second, isSkipped } = found;
  const instead = `called at ${timeIn(first, zone)} instead`;
  if (isSkipped) return `${text} does not exist in ${zone}; ${instead}`;
  return second === null ? null : `${text} happens twice in ${zone}; called at the first`;
}

interface LocalTime {
  hour: number;
  minute: number;
  second: number;
}

/** A day, with months from 1. */
export interface LocalDate {
  year: number;
  month: number;
  day: number;
}

/** The instants of a local time. Without a date: on the last day on which it is not after `now`. Null for a date that never is. */
export function localMoments(
  zone: string,
  date: LocalDate | null,
  { hour, minute, second }: LocalTime,
  now: number,
): LocalMoments | null {
  const day = date === null ? localDayOf(zone, now) : dayOf(date);
  if (day === null) return null;
  const local = day * minutesPerDay + hour * 60 + minute;
  const found = momentsOf(zone, local, second);
  const isToCome = date === null && found.first > now;
  return isToCome ? momentsOf(zone, local - minutesPerDay, second) : found;
}

function dayOf({ year, month, day }: LocalDate): number | null {
  const at = new Date(Date.UTC(year, month - 1, day));
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
  return exists ? at.getTime() / msPerMinute / minutesPerDay : null;
}

function localDayOf(zone: string, now: number): number {
  const minute = Math.floor(now / msPerMinute);
  return Math.floor((minute + spanAt(zone, minute).offset) / minutesPerDay);
}

function momentsOf(zone: string, local: number, second: number): LocalMoments {
  const msOf = (minute: number): number => minute * msPerMinute + second * 1_000;
  // A change is at most a day away from any of its two local times.
  const spans = [spanAt(zone, local - minutesPerDay), spanAt(zone, local + minutesPerDay)];
  const offsets = new Set(spans.map(({ offset }) => offset));
  const found = Array.from(offsets, (offset) => local - offset)
    .filter((minute) => minute + spanAt(zone, minute).offset === local)
    .toSorted((one, other) => one - other);
  const [first, again] = found;
  if (first !== undefined) {
    return {
      first: msOf(first),
      second: again === undefined ? null : msOf(again),
      isSkipped: false,
    };
  }
  const after = spans[1] ?? spanAt(zone, local);
  return { first: after.changedAt * msPerMinute, second: null, isSkipped: true };
}
