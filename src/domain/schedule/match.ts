/**
 * Which local minutes a cron expression matches, knowing nothing of zones. A *local minute* counts
 * the minutes that a wall clock has shown since 1970-01-01 00:00 on that clock. The fields are
 * sets of bits, so that a step costs some nanoseconds whatever the expression.
 */
import { firstDayOfMonth, minutesPerDay, monthOfDay, weekdayOf } from './calendar.ts';

/** A parsed cron expression. In every set bit n stands for the value n. */
export interface CronFields {
  /** Minutes 0–29, and minutes 30–59 as bits 0–29. */
  readonly minutes: readonly [number, number];
  readonly hours: number;
  /** Bits 1–31. */
  readonly daysOfMonth: number;
  /** `L`: the last day of the month matches too. */
  readonly lastDayOfMonth: boolean;
  /** Bits 1–12. */
  readonly months: number;
  /** Bits 0–6, Sunday first. */
  readonly weekdays: number;
  /** Sets of weekdays by their place in the month: 1–5 for `#1`–`#5`, 0 for `L`. Null: none. */
  readonly ordinalWeekdays: readonly number[] | null;
  /** Day-of-month and day-of-week must both match (one of them begins with `*`), else either. */
  readonly bothDaysMustMatch: boolean;
  /** Neither the minute nor the hour field contains `*`: the DST rule for fixed times holds. */
  readonly fixed: boolean;
}

/** The days of a month that match: bits 1–31. */
export function matchingDays(fields: CronFields, month: number): number {
  if (((fields.months >> ((month % 12) + 1)) & 1) === 0) return 0;
  const firstDay = firstDayOfMonth(month);
  const length = firstDayOfMonth(month + 1) - firstDay;
  const byDate = fields.lastDayOfMonth ? fields.daysOfMonth | (1 << length) : fields.daysOfMonth;
  const byWeekday = matchingWeekdays(fields, weekdayOf(firstDay), length);
  const days = fields.bothDaysMustMatch ? byDate & byWeekday : byDate | byWeekday;
  return days & (-1 >>> (31 - length)) & ~1;
}

function matchingWeekdays(fields: CronFields, firstWeekday: number, length: number): number {
  let days = everyWeek(fields.weekdays, firstWeekday);
  fields.ordinalWeekdays?.forEach((weekdays, ordinal) => {
    const firstOfWeek = ordinal === 0 ? length - 6 : ordinal * 7 - 6;
    days |= everyWeek(weekdays, firstWeekday) & (0b111_1111 << firstOfWeek);
  });
  return days;
}

/** Repeats a set of weekdays over the days of a month whose first day is `firstWeekday`. */
function everyWeek(weekdays: number, firstWeekday: number): number {
  const week = ((weekdays >> firstWeekday) | (weekdays << (7 - firstWeekday))) & 0b111_1111;
  return (week | (week << 7) | (week << 14) | (week << 21) | (week << 28)) << 1;
}

/** The first matching local minute in [from, until), or Infinity. */
export function nextMatch(fields: CronFields, from: number, until: number): number {
  const startDay = Math.floor(from / minutesPerDay);
  const later = nextMinuteOfDay(fields, from - startDay * minutesPerDay);
  const searchDay = later === none ? startDay + 1 : startDay;
  const day = nextDay(fields, searchDay, until / minutesPerDay);
  const minute = day === startDay ? later : nextMinuteOfDay(fields, 0);
  const match = day * minutesPerDay + minute;
  return match < until ? match : Infinity;
}

/** The last matching local minute in [from, until), or -Infinity. */
export function previousMatch(fields: CronFields, from: number, until: number): number {
  const startDay = Math.floor((until - 1) / minutesPerDay);
  const earlier = previousMinuteOfDay(fields, until - 1 - startDay * minutesPerDay);
  const searchDay = earlier === none ? startDay - 1 : startDay;
  const day = previousDay(fields, searchDay, Math.floor(from / minutesPerDay));
  const minute = day === startDay ? earlier : previousMinuteOfDay(fields, minutesPerDay - 1);
  const match = day * minutesPerDay + minute;
  return match >= from ? match : -Infinity;
}

/** How many local minutes in [from, until) match; the cost grows with the months in between. */
export function countMatches(fields: CronFields, from: number, until: number): number {
  if (from >= until) return 0;
  const firstDay = Math.floor(from / minutesPerDay);
  const lastDay = Math.floor(until / minutesPerDay);
  const perDay = countMinutesBefore(fields, minutesPerDay);
  let count = countDays(fields, firstDay, lastDay) * perDay;
  if (countDays(fields, firstDay, firstDay + 1) === 1) {
    count -= countMinutesBefore(fields, from - firstDay * minutesPerDay);
  }
  if (countDays(fields, lastDay, lastDay + 1) === 1) {
    count += countMinutesBefore(fields, until - lastDay * minutesPerDay);
  }
  return count;
}

/** Stands for "no such minute in a day". */
const none = -1;

/** The first matching minute of a day (0–1439) at or after `minute`, or -1. */
export function nextMinuteOfDay(fields: CronFields, minute: number): number {
  const hour = Math.floor(minute / 60);
  if (((fields.hours >> hour) & 1) === 1) {
    const found = nextMinuteOfHour(fields, minute - hour * 60);
    if (found !== none) return hour * 60 + found;
  }
  const laterHours = fields.hours & (-2 << hour);
  if (laterHours === 0) return none;
  return lowestBit(laterHours) * 60 + nextMinuteOfHour(fields, 0);
}

/** The last matching minute of a day (0–1439) at or before `minute`, or -1. */
export function previousMinuteOfDay(fields: CronFields, minute: number): number {
  const hour = Math.floor(minute / 60);
  if (((fields.hours >> hour) & 1) === 1) {
    const found = previousMinuteOfHour(fields, minute - hour * 60);
    if (found !== none) return hour * 60 + found;
  }
  const earlierHours = fields.hours & ~(-1 << hour);
  if (earlierHours === 0) return none;
  return highestBit(earlierHours) * 60 + previousMinuteOfHour(fields, 59);
}

function nextMinuteOfHour({ minutes: [low, high] }: CronFields, minute: number): number {
  const inLow = minute < 30 ? low & (-1 << minute) : 0;
  if (inLow !== 0) return lowestBit(inLow);
  const inHigh = high & (-1 << Math.max(minute - 30, 0));
  return inHigh === 0 ? none : 30 + lowestBit(inHigh);
}

function previousMinuteOfHour({ minutes: [low, high] }: CronFields, minute: number): number {
  const inHigh = minute >= 30 ? high & ~(-2 << (minute - 30)) : 0;
  if (inHigh !== 0) return 30 + highestBit(inHigh);
  const inLow = low & ~(-2 << Math.min(minute, 29));
  return inLow === 0 ? none : highestBit(inLow);
}

function countMinutesBefore(fields: CronFields, minute: number): number {
  const [low, high] = fields.minutes;
  const hour = Math.floor(minute / 60);
  const whole = countBits(fields.hours & ~(-1 << hour)) * (countBits(low) + countBits(high));
  if (((fields.hours >> hour) & 1) === 0) return whole;
  const rest = minute - hour * 60;
  const ofLow = countBits(low & ~(-1 << Math.min(rest, 30)));
  const ofHigh = countBits(high & ~(-1 << Math.max(rest - 30, 0)));
  return whole + ofLow + ofHigh;
}

/** The first matching day at or after `day`; Infinity if it is not before `untilDay`. */
function nextDay(fields: CronFields, day: number, untilDay: number): number {
  let month = monthOfDay(day);
  let firstDay = firstDayOfMonth(month);
  let days = matchingDays(fields, month) & (-1 << (day - firstDay + 1));
  while (days === 0) {
    month += 1;
    firstDay = firstDayOfMonth(month);
    if (firstDay >= untilDay) return Infinity;
    days = matchingDays(fields, month);
  }
  return firstDay - 1 + lowestBit(days);
}

/** The last matching day at or before `day`; -Infinity if it is before `fromDay`. */
function previousDay(fields: CronFields, day: number, fromDay: number): number {
  let month = monthOfDay(day);
  let firstDay = firstDayOfMonth(month);
  let days = matchingDays(fields, month) & ~(-2 << (day - firstDay + 1));
  while (days === 0) {
    if (firstDay <= fromDay) return -Infinity;
    month -= 1;
    firstDay = firstDayOfMonth(month);
    days = matchingDays(fields, month);
  }
  return firstDay - 1 + highestBit(days);
}

function countDays(fields: CronFields, fromDay: number, untilDay: number): number {
  let count = 0;
  for (let day = fromDay; day < untilDay;) {
    const month = monthOfDay(day);
    const firstDay = firstDayOfMonth(month);
    const nextFirstDay = firstDayOfMonth(month + 1);
    let days = matchingDays(fields, month) & (-1 << (day - firstDay + 1));
    if (untilDay < nextFirstDay) days &= ~(-1 << (untilDay - firstDay + 1));
    count += countBits(days);
    day = nextFirstDay;
  }
  return count;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function highestBit(bits: number): number {
  return 31 - Math.clz32(bits);
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
