/**
 * The rule at the end of a compiled time-zone file, such as `CET-1CEST,M3.5.0,M10.5.0/3`: POSIX's TZ, with hours from -167
 * to 167 (RFC 9636, section 3.3.2).
 */

import { firstDayOfMonth, weekdayOf } from './calendar.ts';

/** A name with how many hours are to be added to its clock, and perhaps another one for summer. */
const clocks =
  /^(?:<[A-Za-z0-9+-]{1,30}>|[A-Za-z]{1,30})(?<standard>[+-]?\d{1,3}(?::\d\d){0,2})(?<summer>(?:<[A-Za-z0-9+-]{1,30}>|[A-Za-z]{1,30})(?<summerTime>[+-]?\d{1,3}(?::\d\d){0,2})?)?$/;
/** A day and perhaps a time: `M3.5.0/1` is one o'clock of the last Sunday of March. */
const dateAndTime =
  /^(?<date>J\d{1,3}|\d{1,3}|M\d{1,2}\.[1-5]\.[0-6])(?:\/(?<time>[+-]?\d{1,3}(?::\d\d){0,2}))?$/;

const secondsPerDay = 86_400;

/** Offsets (local minus UTC, in seconds) at seconds since 1970 UTC. Throws RangeError for any other text. */
export function parsePosixZone(text: string): (second: number) => number {
  const [names = '', begins, ends, ...more] = text.split(',', 4);
  const found = clocks.exec(names)?.groups;
  if (found === undefined || more.length > 0) throw unreadable();
  const { standard = '', summer, summerTime } = found;
  // POSIX has what must be added to local time. From 0, since there is a negative one.
  const winterOffset = 0 - secondsOf(standard);
  if (summer === undefined && begins === undefined) return () => winterOffset;
  if (summer === undefined || begins === undefined || ends === undefined) throw unreadable();
  const summerOffset = summerTime === undefined ? winterOffset + 3600 : 0 - secondsOf(summerTime);
  const beginOf = changeIn(begins, winterOffset);
  const endOf = changeIn(ends, summerOffset);
  return (second) => {
    const year = new Date((second + winterOffset) * 1000).getUTCFullYear();
    let offset = winterOffset;
    let latest = -Infinity;
    // The last change decides. Where summer time ends when it begins again, it never ends.
    for (const candidate of [year - 1, year, year + 1]) {
      for (const [change, after] of [
        [endOf(candidate), winterOffset],
        [beginOf(candidate), summerOffset],
      ] as const) {
        if (change > second || change < latest) continue;
        latest = change;
        offset = after;
      }
    }
    return offset;
  };
}

function unreadable(): RangeError {
  return new RangeError('the rule for later times cannot be read');
}

/** When a change is in a year, in seconds since 1970 UTC; `offset` is the one until then. */
function changeIn(text: string, offset: number): (year: number) => number {
  const found = dateAndTime.exec(text)?.groups;
  if (found === undefined) throw unreadable();
  const { date = '', time = '2' } = found;
  const dayIn = dayOf(date);
  const seconds = secondsOf(time) - offset;
  return (year) => dayIn(year) * secondsPerDay + seconds;
}

/** Tells the day of a rule in a year, counted from 1970-01-01. */
function dayOf(text: string): (year: number) => number {
  if (text.startsWith('M')) {
    const [month = 1, week = 1, weekday = 0] = text.slice(1).split('.').map(Number);
    return (year) => {
      const first = firstDayOfMonth(year * 12 + month - 1);
      const next = firstDayOfMonth(year * 12 + month);
      const day = first + ((weekday - weekdayOf(first) + 7) % 7) + (week - 1) * 7;
      return day < next ? day : day - 7;
    };
  }
  if (!text.startsWith('J')) return (year) => firstDayOfMonth(year * 12) + Number(text);
  // Never 29 February: day 60 is 1 March in all years.
  const place = Number(text.slice(1));
  return (year) => {
    const hasLeapDay = firstDayOfMonth(year * 12 + 2) - firstDayOfMonth(year * 12) === 60;
    return firstDayOfMonth(year * 12) + place - (hasLeapDay && place >= 60 ? 0 : 1);
  };
}

function secondsOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  const total = hours * 3600 + minutes * 60 + seconds;
  return text.startsWith('-') ? -total : total;
}
