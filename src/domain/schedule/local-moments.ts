/** When the clocks of a zone show a time. The zone must have passed `canonicalZone`. */

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

/** A day, with months from 1. */
export interface LocalDate {
  year: number;
  month: number;
  day: number;
}

/**
 * Finds the instants of a local time. Without a date it is that of the last day on which it is not after `now`. Null for a
 * date that does not exist.
 */
export function localMoments(
  zone: string,
  date: LocalDate | null,
  { hour, minute, second }: { hour: number; minute: number; second: number },
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
