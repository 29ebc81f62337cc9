/** The next due times of a schedule, with notes on clock changes. */
import { DateTime } from 'luxon';
import { minutesPerDay } from './calendar.ts';
import { longSteps, parseCron } from './cron.ts';
import { timeIn } from './local-time.ts';
import { firstDue, nextDue, spansToSearch } from './next.ts';
import { type CronFields, nextMatch } from './match.ts';
import type { Schedule } from './schedule.ts';
import type { Span } from './offset.ts';

const msPerMinute = 60_000;

/** Due times in epoch milliseconds, and sentences about the effects of daylight-saving changes. */
export interface Preview {
  next: number[];
  notes: string[];
}

/**
 * The first `count` due times strictly after `from` (epoch milliseconds), with a note for each
 * change of the clocks that shifts, drops or repeats one, if there are fewer, and for long steps. Throws invalid_input
 * for an invalid cron expression and for a schedule that is never due.
 */
export function preview(schedule: Schedule, from: number, count: number): Preview {
  const next: number[] = [];
  for (let at: number | null = firstDue(schedule, from); at !== null && next.length < count;) {
    next.push(at);
    at = next.length < count ? nextDue(schedule, at) : null;
  }
  // That one which is due once is not due again goes without saying.
  const isWhole = next.length === count || (schedule.scheduleType === 'once' && next.length > 0);
  const end = isWhole ? [] : [notDueAgain(schedule, 'within the 41 years after that')];
  const steps = schedule.scheduleType === 'cron' ? longSteps(schedule.cronExpr) : [];
  return { next, notes: [...clockChanges(schedule, from, next), ...end, ...steps] };
}

/** What the clocks do to due times of a schedule after `from`: a sentence for each change of theirs that shifts, drops or repeats one. */
export function clockChanges(schedule: Schedule, from: number, due: readonly number[]): string[] {
  const last = due.at(-1);
  if (schedule.scheduleType !== 'cron' || last === undefined) return [];
  const fields = parseCron(schedule.cronExpr);
  const { timezone } = schedule;
  const offsetMs = schedule.adjusted?.offsetMs ?? 0;
  const listed = new Set(due.map((at) => (at - offsetMs) / msPerMinute));
  // Nothing is due before: reading the changes of centuries would take long.
  const begin = Math.max(from, (schedule.adjusted?.from ?? -Infinity) - 1);
  const after = Math.floor((begin - offsetMs) / msPerMinute);
  const until = (last - offsetMs) / msPerMinute + 1;
  const notes: string[] = [];
  // The second pass of a repeated time may begin up to a day after the last listed one.
  const spans = spansToSearch(fields, timezone, after, until + minutesPerDay);
  for (const span of spans) {
    const isListedGap =
      span.before < span.offset &&
      span.start === span.changedAt &&
      span.start > after &&
      span.start < until;
    const note = isListedGap
      ? noteOnGap(fields, span, { timezone, offsetMs })
      : noteOnOverlap(fields, span, timezone, listed);
    if (note !== null) notes.push(note);
  }
  return notes;
}

/** Why a schedule is not due again; `usual`: within which time a rule is searched for. */
export function notDueAgain(schedule: Schedule, usual: string): string {
  if (schedule.scheduleType === 'once') {
    return `due once, at ${timeIn(schedule.at, schedule.timezone)}, and not again`;
  }
  const { until = Infinity, timezone = '' } = schedule.adjusted ?? {};
  const end = until === Infinity ? usual : `after its notAfter, ${timeIn(until, timezone)}`;
  return `not due again ${end}`;
}

function noteOnGap(
  fields: CronFields,
  span: Span,
  { timezone, offsetMs }: { timezone: string; offsetMs: number },
): string | null {
  const missing = matches(fields, span.changedAt + span.before, span.changedAt + span.offset);
  const [firstMissing] = missing;
  if (firstMissing === undefined) return null;
  const verb = missing.length === 1 ? 'does' : 'do';
  const what = `${spoken(missing)} ${verb} not exist in ${timezone}`;
  if (!fields.fixed) return `${what}; skipped`;
  const runsAt = localTime(span.changedAt + span.offset).plus(offsetMs);
  const time = runsAt.second === 0 ? 'HH:mm' : 'HH:mm:ss';
  const isSameDay = runsAt.hasSame(localTime(firstMissing), 'day');
  const once = missing.length === 1 ? '' : ' once';
  return `${what}; runs${once} at ${runsAt.toFormat(isSameDay ? time : `yyyy-MM-dd ${time}`)} instead`;
}

function noteOnOverlap(
  fields: CronFields,
  span: Span,
  timezone: string,
  listed: ReadonlySet<number>,
): string | null {
  const repeated = matches(
    fields,
    span.changedAt + span.offset,
    span.changedAt + span.before,
  ).filter(
    (local) =>
      listed.has(local - span.before) || (!fields.fixed && listed.has(local - span.offset)),
  );
  if (repeated.length === 0) return null;
  const verb = repeated.length === 1 ? 'happens' : 'happen';
  const passes = fields.fixed ? 'at the first' : 'both times';
  return `${spoken(repeated)} ${verb} twice in ${timezone}; runs ${passes}`;
}

/** The matching local minutes in [from, until), which is at most a day long. */
function matches(fields: CronFields, from: number, until: number): number[] {
  const found: number[] = [];
  for (let at = nextMatch(fields, from, until); at !== Infinity;) {
    found.push(at);
    at = nextMatch(fields, at + 1, until);
  }
  return found;
}

const dateAndTime = 'yyyy-MM-dd HH:mm';

function spoken(localMinutes: readonly number[]): string {
  const first = localTime(localMinutes.at(0) ?? 0);
  const last = localTime(localMinutes.at(-1) ?? 0);
  const start = first.toFormat(dateAndTime);
  if (localMinutes.length === 1) return start;
  return `${start} to ${last.toFormat(first.hasSame(last, 'day') ? 'HH:mm' : dateAndTime)}`;
}

/** What a wall clock shows, as luxon's UTC: the minute may exist in no zone. */
function localTime(localMinute: number): DateTime {
  return DateTime.fromMillis(localMinute * msPerMinute, { zone: 'utc', locale: 'en-US' });
}
