/** Days as the calendar of a zone has them: of 23 to 25 hours, and some never were (Apia, 30 December 2011). */

import { msPerDay } from '../clock.ts';
import { minutesPerDay } from './calendar.ts';
import { spanAt, type Span } from './offset.ts';

const msPerMinute = 60_000;

/** Tells the day of an instant, counted from 1970-01-01. Fastest for instants in their order. */
export function dayReader(timezone: string): (at: number) => number {
  let span: Span | undefined;
  return (at) => {
    const minute = Math.floor(at / msPerMinute);
    if (span === undefined || minute < span.start || minute >= span.end) {
      span = spanAt(timezone, minute);
    }
    return Math.floor((minute + span.offset) / minutesPerDay);
  };
}

/**
 * The last `count` days of a zone up to that of `until` (epoch milliseconds), the oldest first; a day that its calendar
 * leaves out is none of them. The zone must have passed `canonicalZone`.
 */
export function lastDays(timezone: string, until: number, count: number): number[] {
  const days = new Set<number>();
  for (let minute = Math.floor(until / msPerMinute); days.size < count;) {
    const { start, offset } = spanAt(timezone, minute);
    const first = Math.floor((start + offset) / minutesPerDay);
    for (let day = Math.floor((minute + offset) / minutesPerDay); day >= first; day -= 1) {
      days.add(day);
      if (days.size === count) break;
    }
    minute = start - 1;
  }
  return [...days].toSorted((one, other) => one - other);
}

/** The first instant of a day of the zone's calendar, in epoch milliseconds. */
export function startOfDay(timezone: string, day: number): number {
  // No clock is further than 16 hours from UTC.
  for (let minute = day * minutesPerDay - 16 * 60; ;) {
    const { offset, end } = spanAt(timezone, minute);
    const first = Math.max(minute, day * minutesPerDay - offset);
    if (first < end) return first * msPerMinute;
    minute = end;
  }
}

/** A day as ISO 8601 writes it: 2026-03-29. */
export function isoDay(day: number): string {
  return new Date(day * msPerDay).toISOString().slice(0, 10);
}
