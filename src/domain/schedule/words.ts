/**
 * Schedules in words, true to our dialect: `0 9 1 * 1` is "on the 1st or on Mondays", and only a step that divides the hour
 * is "every 10 minutes". The words are made from the parsed fields, so equal fields have equal words, and schedules that are due
 * at different times have different ones. What clock changes do is left to the notes of `preview.ts`. Where no good sentence
 * exists, the expression itself is shown.
 */
import { inTwoUnits } from '../durations.ts';
import { parseCron } from './cron.ts';
import { timeIn } from './local-time.ts';
import type { CronFields } from './match.ts';
import { periodWords } from './period-words.ts';
import type { Adjusted, Schedule } from './schedule.ts';
import { timeWords } from './time-words.ts';
import { list, ordinal, stepOf, stretchesOf, valuesOf } from './values.ts';

/** When a schedule is due, as a phrase without its zone; the cron expression where words would be longer or unclear. */
export function scheduleWords(schedule: Schedule): string {
  const { adjusted } = schedule;
  return `${ruleWords(schedule)}${adjusted === undefined ? '' : adjustedWords(adjusted)}`;
}

function adjustedWords({ offsetMs, from, until, timezone }: Adjusted): string {
  const later = inTwoUnits(offsetMs / 1000, { minute: 'min' });
  const [first, last] = [from, until].map((at) => Number.isFinite(at) && timeIn(at, timezone));
  return [offsetMs > 0 && `${later} later`, first && `from ${first}`, last && `until ${last}`]
    .map((words) => (words === false ? '' : `, ${words}`))
    .join('');
}

function ruleWords(schedule: Schedule): string {
  if (schedule.scheduleType === 'once') return `Once, at ${timeIn(schedule.at, schedule.timezone)}`;
  if (schedule.scheduleType === 'period') return periodWords(schedule.periodSeconds);
  return cronWords(parseCron(schedule.cronExpr)) ?? schedule.cronExpr;
}

/** The words of a parsed expression, or null. */
export function cronWords(fields: CronFields): string | null {
  const [low, high] = fields.minutes;
  const minutes = [...valuesOf(low, 0, 29), ...valuesOf(high, 0, 29, 30)];
  const time = timeWords(minutes, valuesOf(fields.hours, 0, 23));
  const days = daysOf(fields);
  if (time === null || days === null) return null;
  const months = valuesOf(fields.months, 1, 12);
  if (days.isOfMonth) return `${time}, ${days.words} of ${monthsWithDay(months, days.isRare)}`;
  const inMonths = months.length === 12 ? [] : [inMonthsWords(months)];
  // "At 09:00" alone would leave open whether it is every day.
  if (days.words === '' && time.startsWith('At ')) {
    return [`${time}, every day`, ...inMonths].join(' ');
  }
  return [time, ...(days.words === '' ? [] : [days.words]), ...inMonths].join(', ');
}

/** Days as a phrase: empty for every day. */
interface Days {
  words: string;
  /** Whether "of each month" or "of March" completes the phrase. */
  isOfMonth: boolean;
  /** Whether it is one day that some months do not have. */
  isRare: boolean;
}

function daysOf(fields: CronFields): Days | null {
  const dates = valuesOf(fields.daysOfMonth, 1, 31);
  const isAllDates = dates.length === 31;
  const isAllWeekdays = fields.weekdays === 0b111_1111;
  const isEither = !fields.bothDaysMustMatch;
  if (isAllDates && isAllWeekdays) return everyDay;
  if ((isAllDates || isAllWeekdays) && isEither) return everyDay;
  const byDate = isAllDates ? null : dateWords(dates, fields.lastDayOfMonth);
  const byWeekday = isAllWeekdays ? null : weekdayWords(fields);
  if (byDate?.words === '' || byWeekday?.words === '') return null;
  if (byDate === null || byWeekday === null) return byDate ?? byWeekday;
  const date = fields.lastDayOfMonth ? `${byDate.words} of the month` : byDate.words;
  const words = `${date}${isEither ? ' or ' : ', only '}${byWeekday.words}`;
  return { words, isOfMonth: false, isRare: false };
}

const everyDay: Days = { words: '', isOfMonth: false, isRare: false };

/** Items of a list of days at most; a longer list is not easier to read than the expression. */
const mostDays = 8;

/** No words if there are too many dates. */
function dateWords(dates: readonly number[], isLastToo: boolean): Days {
  const days = { isOfMonth: true, isRare: !isLastToo && dates.length === 1 && dates[0]! > 28 };
  const step = stepOf(dates);
  const [first = 1] = dates;
  const last = dates.at(-1) ?? 1;
  if (!isLastToo && step === 1) {
    return { ...days, words: `from the ${ordinal(first)} to the ${ordinal(last)}` };
  }
  if (!isLastToo && step !== null && dates.length > 3 && last + step > 31) {
    return { ...days, words: `every ${step} days from the ${ordinal(first)}` };
  }
  if (dates.length > mostDays) return { ...days, words: '' };
  const lastDay = dates.length === 0 ? 'last day' : 'the last day';
  const items = [...dates.map(ordinal), ...(isLastToo ? [lastDay] : [])];
  return { ...days, words: `on the ${list(items)}` };
}

const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const places = ['last', 'first', 'second', 'third', 'fourth', 'fifth'];

/** The names of a set of weekdays, from Monday on; Sunday is bit 0. */
function namesOf(weekdays: number): string[] {
  return weekdayNames.filter((_, index) => (weekdays >> ((index + 1) % 7)) & 1);
}

/** No words if there are too many. */
function weekdayWords({ weekdays, ordinalWeekdays }: CronFields): Days {
  const names = namesOf(weekdays);
  const placed = (ordinalWeekdays ?? []).flatMap((days, place) =>
    namesOf(days & ~weekdays).map((name) => `the ${places[place]} ${name}`),
  );
  const [stretch, ...more] = stretchesOf(names.map((name) => weekdayNames.indexOf(name)));
  if (placed.length === 0 && names.length > 2 && stretch !== undefined && more.length === 0) {
    const words = `${weekdayNames[stretch[0]]} to ${weekdayNames[stretch[1]]}`;
    return { words, isOfMonth: false, isRare: false };
  }
  const items = [...names.map((name) => `${name}s`), ...placed];
  if (items.length > mostDays) return { words: '', isOfMonth: false, isRare: false };
  const isMixed = names.length > 0 && placed.length > 0;
  return {
    words: `on ${list(items)}${isMixed ? ' of the month' : ''}`,
    isOfMonth: names.length === 0,
    isRare: items.length === 1 && placed[0]?.startsWith('the fifth') === true,
  };
}

const monthNames =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** What follows "of": every month, some by name, or a stretch of them. */
function monthsWithDay(months: readonly number[], isRare: boolean): string {
  if (months.length === 12) return `each month${isRare ? ' that has one' : ''}`;
  const words = inMonthsWords(months);
  return words.startsWith('in ') ? words.slice(3) : `each month ${words}`;
}

function inMonthsWords(months: readonly number[]): string {
  const names = months.map((month) => monthNames[month - 1] ?? '');
  const isStretch = months.length > 2 && stretchesOf(months).length === 1;
  return isStretch ? `from ${names[0]} to ${names.at(-1)}` : `in ${list(names)}`;
}
