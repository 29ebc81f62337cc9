/**
 * Days and months as plain numbers, so that searching needs no date objects: a *day* counts from
 * 1970-01-01, a *month* counts from January of year 0 (`year × 12 + month − 1`). Gregorian.
 */

import { msPerDay } from '../clock.ts';

export const minutesPerDay = 1440;

/** The month that a day lies in. */
export function monthOfDay(day: number): number {
  const date = new Date(day * msPerDay);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The first day of a month. */
export function firstDayOfMonth(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1) / msPerDay;
}

/** 0 is Sunday, 6 is Saturday, as in cron. */
export function weekdayOf(day: number): number {
  // 1970-01-01 was a Thursday; the second modulo is for days before it.
  return (((day + 4) % 7) + 7) % 7;
}
