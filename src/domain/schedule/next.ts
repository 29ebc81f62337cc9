/**
 * Due times. The rule for daylight-saving changes is that of Debian's cron (docs/behavior.md#daylight-saving):
 *
 * - A *fixed* schedule names its hours and minutes. Its times that fall into a gap become one fire
 *   at the first minute after the gap; in an overlap it fires in the first of the two passes.
 * - Any other schedule fires in every real minute whose local time matches.
 *
 * A gap may be a whole day (Apia had no 30 December 2011): a fixed schedule that names that day
 * fires once, at the first minute of the next one, however many times it would have fired.
 */
import { minutesPerDay } from './calendar.ts';
import { isoTime } from '../clock.ts';
import { invalidInput } from '../errors.ts';
import { parseCron } from './cron.ts';
import { type CronFields, countMatches, nextMatch, previousMatch } from './match.ts';
import type { PeriodSchedule, Schedule } from './schedule.ts';
import { type Span, spanAt } from './offset.ts';

const msPerMinute = 60_000;

/** 29 February falls on a given weekday at least every 40 years; nothing valid is rarer. */
const horizonMinutes = 41 * 366 * minutesPerDay;
/** The last minute that a Date can hold, less what a search may look ahead. */
const lastMinute = 8.64e15 / msPerMinute - 400 * minutesPerDay;
/** More than any offset (at most 16 h) plus any gap (at most 24 h). */
const slackMinutes = 2 * minutesPerDay;

/**
 * The first due time strictly after `after` (epoch milliseconds), or null if there is none in the
 * next 41 years. The time zone must have passed `canonicalZone`. Throws invalid_input for an
 * invalid cron expression.
 */
export function nextDue(schedule: Schedule, after: number): number | null {
  const { adjusted } = schedule;
  if (adjusted === undefined) return nextByRule(schedule, after);
  const { offsetMs, from, until } = adjusted;
  const next = nextByRule(schedule, Math.max(after, from - 1) - offsetMs);
  return next === null || next + offsetMs > until ? null : next + offsetMs;
}

function nextByRule(schedule: Schedule, after: number): number | null {
  if (schedule.scheduleType === 'once') return schedule.at > after ? schedule.at : null;
  if (schedule.scheduleType === 'period') return nextPeriodDue(schedule, after);
  const fields = parseCron(schedule.cronExpr);
  const from = Math.floor(after / msPerMinute) + 1;
  const until = Math.min(from + horizonMinutes, lastMinute);
  for (const span of spansToSearch(fields, schedule.timezone, from, until)) {
    const search = searchIn(fields, span, from, until);
    if (search.firesAtStart) return span.start * msPerMinute;
    const match = nextMatch(fields, search.from, search.until);
    if (match !== Infinity) return (match - span.offset) * msPerMinute;
  }
  return null;
}

/** As `nextDue`, for a schedule that is new: throws invalid_input if it is never due. */
export function firstDue(schedule: Schedule, after: number): number {
  const first = nextDue(schedule, after);
  if (first !== null) return first;
  throw invalidInput(neverDue(schedule, after));
}

function neverDue(schedule: Schedule, after: number): string {
  if (schedule.scheduleType === 'once') {
    return `its runAt, ${isoTime(schedule.at)}, has passed: set a later one`;
  }
  const { from, until } = schedule.adjusted ?? { from: -Infinity, until: Infinity };
  if (until <= after) return `its notAfter, ${isoTime(until)}, has passed: set a later one`;
  if (until < Infinity) {
    return `it is never due between ${from > after ? 'notBefore' : 'now'} and notAfter`;
  }
  return `cronExpr never fires in ${schedule.scheduleType === 'cron' ? schedule.timezone : ''}`;
}

/** Due times in a period of time, epoch milliseconds. */
export interface DueTimes {
  first: number;
  last: number;
  count: number;
}

/** The due times in (after, until], or null; epoch milliseconds. The cost grows with the months in between, not with the due times. */
export function dueBetween(schedule: Schedule, after: number, until: number): DueTimes | null {
  const { adjusted } = schedule;
  if (adjusted === undefined) return betweenByRule(schedule, after, until);
  const { offsetMs } = adjusted;
  const [first, last] = [Math.max(after, adjusted.from - 1), Math.min(until, adjusted.until)];
  const due = betweenByRule(schedule, first - offsetMs, last - offsetMs);
  return due && { ...due, first: due.first + offsetMs, last: due.last + offsetMs };
}

function betweenByRule(schedule: Schedule, after: number, until: number): DueTimes | null {
  if (schedule.scheduleType === 'once') {
    const { at } = schedule;
    return at > after && at <= until ? { first: at, last: at, count: 1 } : null;
  }
  if (schedule.scheduleType === 'period') {
    const { anchorAt } = schedule;
    const periodMs = schedule.periodSeconds * 1000;
    const first = nextPeriod(schedule, after);
    const upTo = Math.floor((until - anchorAt) / periodMs);
    const last = upTo === 0 && isSpread(schedule) ? -1 : upTo;
    if (last < first) return null;
    const isAround = first < 0 && last > 0 && isSpread(schedule);
    return {
      first: anchorAt + first * periodMs,
      last: anchorAt + last * periodMs,
      count: last - first + (isAround ? 0 : 1),
    };
  }
  const fields = parseCron(schedule.cronExpr);
  const fromMinute = Math.floor(after / msPerMinute) + 1;
  const untilMinute = Math.min(Math.floor(until / msPerMinute) + 1, lastMinute);
  const due = { first: Infinity, last: -Infinity, count: 0 };
  for (const span of spansToSearch(fields, schedule.timezone, fromMinute, untilMinute)) {
    const inSpan = dueInSpan(fields, span, searchIn(fields, span, fromMinute, untilMinute));
    if (inSpan === null) continue;
    due.first = Math.min(due.first, inSpan.first);
    due.last = inSpan.last;
    due.count += inSpan.count;
  }
  return due.count === 0 ? null : due;
}

function dueInSpan(fields: CronFields, span: Span, search: Search): DueTimes | null {
  const { from, until } = search;
  const matches = countMatches(fields, from, until);
  const count = matches + (search.firesAtStart ? 1 : 0);
  if (count === 0) return null;
  const first = search.firesAtStart ? span.start : nextMatch(fields, from, until) - span.offset;
  const last = matches === 0 ? span.start : previousMatch(fields, from, until) - span.offset;
  return { first: first * msPerMinute, last: last * msPerMinute, count };
}

function nextPeriodDue(schedule: Schedule & PeriodSchedule, after: number): number {
  return schedule.anchorAt + nextPeriod(schedule, after) * schedule.periodSeconds * 1000;
}

/**
 * The smallest whole k with anchorAt + k × periodSeconds after `after`, below 0 too. It is not 0 where due times are spread: a period
 * is over once before the first, and then the spread (docs/behavior.md#spread-3).
 */
function nextPeriod(schedule: Schedule & PeriodSchedule, after: number): number {
  const { anchorAt, periodSeconds } = schedule;
  const next = Math.floor((after - anchorAt) / (periodSeconds * 1000)) + 1;
  return next === 0 && isSpread(schedule) ? 1 : next;
}

function isSpread({ adjusted }: Schedule): boolean {
  return adjusted !== undefined && adjusted.offsetMs > 0;
}

/** What to search for in a span. */
interface Search {
  /** Whether the fixed times of the gap before the span fire at its first minute, once. */
  firesAtStart: boolean;
  /** Local minutes in [from, until) that match are due too. */
  from: number;
  until: number;
}

/** Where in a span the due times of the UTC minutes in [from, until) lie: the DST rule. */
function searchIn(fields: CronFields, span: Span, from: number, until: number): Search {
  const search = {
    firesAtStart: false,
    from: Math.max(from, span.start) + span.offset,
    until: Math.min(until, span.end) + span.offset,
  };
  if (!fields.fixed) return search;
  const { start, changedAt } = span;
  const localBefore = changedAt + span.before;
  const localStart = changedAt + span.offset;
  // After an overlap, local times up to that of the change have occurred before.
  if (localBefore > localStart) search.from = Math.max(search.from, localBefore);
  const startsInside = start === changedAt && from <= start && start < until;
  if (startsInside && nextMatch(fields, localBefore, localStart) !== Infinity) {
    search.firesAtStart = true;
    search.from = localStart + 1;
  }
  return search;
}

/**
 * The spans that can hold a due time in the UTC minutes [from, until), in order. Years without a
 * matching date are jumped over, so that a schedule for 29 February needs no zone data of others.
 */
export function* spansToSearch(
  fields: CronFields,
  timezone: string,
  from: number,
  until: number,
): Generator<Span, void> {
  let at = from;
  while (at < until) {
    const span = spanAt(timezone, at);
    yield span;
    // No due time after the span can have a local time, or one in a gap, before this match.
    const match = nextMatch(fields, span.end - slackMinutes, until + slackMinutes);
    at = Math.max(span.end, match - slackMinutes);
  }
}
