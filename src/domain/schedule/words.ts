/**
 * Schedules in words, true to our dialect: `0 9 1 * 1` is "on the 1st or on Mondays", and only a step that divides the hour
 * is "every 10 minutes". The words are made from the parsed fields, so equal schedules have equal words, and different
 * ones different words. Where no good sentence exists, the expression itself is shown.
 */
import { parseCron } from './cron.ts';
import type { CronFields } from './match.ts';
import type { Schedule } from './schedule.ts';

/** When a schedule is due, as a sentence without its zone; the cron expression where words would be longer or unclear. */
export function scheduleWords(schedule: Schedule): string {
  if (schedule.scheduleType === 'period') return periodWords(schedule.periodSeconds);
  return cronWords(parseCron(schedule.cronExpr)) ?? schedule.cronExpr;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

function periodWords(seconds: number): string {
  const [unit, size] = units.find(([, length]) => seconds % length === 0) ?? units[3];
  return seconds === size ? `Every ${unit}` : `Every ${seconds / size} ${unit}s`;
}

/** Items of a list at most; a schedule with longer ones is not easier to read in words. */
const longestList = 8;

/** The words of a parsed expression, or null. */
export function cronWords(fields: CronFields): string | null {
  const minutes = [
    ...valuesOf(fields.minutes[0], 0, 29),
    ...valuesOf(fields.minutes[1], 0, 29, 30),
  ];
  const time = timeWords(minutes, valuesOf(fields.hours, 0, 23));
  const days = dayWords(fields);
  if (time === null || days === null) return null;
  const months = monthWords(valuesOf(fields.months, 1, 12));
  const when = [days, months].filter((part) => part !== '');
  if (when.length === 0 && time.startsWith('At ')) when.push('every day');
  return [time, ...when].join(', ');
}

function timeWords(minutes: number[], hours: number[]): string | null {
  if (minutes.length > 2) return manyMinutesWords(minutes, hours) ?? listOfTimes(minutes, hours);
  const at = minutes.map((minute) => `:${two(minute)}`).join(' and ');
  const between = betweenWords(minutes, hours);
  if (between === '') return `Every hour at ${at}`;
  if (between !== null && hours.length > 2) return `Every hour at ${at}${between}`;
  const step = hours.length > 3 ? stepOf(hours, 23) : null;
  if (step === null) return listOfTimes(minutes, hours);
  const from = ` from ${clock(hours[0] ?? 0, minutes[0] ?? 0)}`;
  return `Every ${step} hours at ${at}${from}${isEven(hours, step, 24) ? '' : ' in each day'}`;
}

function manyMinutesWords(minutes: number[], hours: number[]): string | null {
  const between = betweenWords(minutes, hours);
  const span = stretchOf(minutes);
  if (span !== null) {
    const part =
      minutes.length === 60 ? '' : ` from :${two(span[0])} to :${two(span[1])} in each hour`;
    return part !== '' && between !== ''
      ? null
      : between === null
        ? null
        : `Every minute${part}${between}`;
  }
  const step = stepOf(minutes, 59);
  if (step === null || between === null) return null;
  const [first = 0] = minutes;
  const inEachHour = isEven(minutes, step, 60) ? '' : ' in each hour';
  if (between !== '') return `Every ${step} minutes${inEachHour}${between}`;
  return `Every ${step} minutes${inEachHour === '' && first === 0 ? '' : ` from :${two(first)}`}${inEachHour}`;
}

/** The first and the last time of hours that follow one another; nothing for the whole day, null for hours with gaps. */
function betweenWords(minutes: number[], hours: number[]): string | null {
  const span = stretchOf(hours);
  if (span === null) return null;
  if (hours.length === 24) return '';
  return ` from ${clock(span[0], minutes[0] ?? 0)} to ${clock(span[1], minutes.at(-1) ?? 59)}`;
}

/** Whether a step goes on evenly from one hour or day into the next. */
function isEven([first = 0]: number[], step: number, size: number): boolean {
  return size % step === 0 && first < step;
}

function listOfTimes(minutes: number[], hours: number[]): string | null {
  if (minutes.length * hours.length > longestList) return null;
  return `At ${list(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute))))}`;
}

function dayWords(fields: CronFields): string | null {
  const dates = valuesOf(fields.daysOfMonth, 1, 31);
  const weekdays = weekdayNames
    .map((_, index) => (index + 1) % 7)
    .filter((day) => (fields.weekdays >> day) & 1);
  const everyDate = dates.length === 31;
  const everyWeekday = weekdays.length === 7;
  if (everyDate && everyWeekday) return '';
  if ((everyDate || everyWeekday) && !fields.bothDaysMustMatch) return '';
  const byDate = everyDate ? '' : dateWords(dates, fields.lastDayOfMonth);
  const byWeekday = everyWeekday ? '' : weekdayWords(weekdays, fields.ordinalWeekdays);
  if (byDate === null || byWeekday === null) return null;
  if (byDate === '') return byWeekday;
  if (byWeekday === '') return byDate;
  return fields.bothDaysMustMatch ? `${byDate}, only ${byWeekday}` : `${byDate} or ${byWeekday}`;
}

function dateWords(dates: number[], last: boolean): string | null {
  const span = stretchOf(dates);
  const lastDay = last ? ['last day of the month'] : [];
  if (span !== null && dates.length > 2 && !last)
    return `from the ${ordinal(span[0])} to the ${ordinal(span[1])}`;
  const step = stepOf(dates, 31);
  if (step !== null && dates.length > 3 && !last) {
    return `every ${ordinal(step)} day of the month from the ${ordinal(dates[0] ?? 1)}`;
  }
  if (dates.length > longestList) return null;
  return `on the ${list([...dates.map(ordinal), ...lastDay])}`;
}

const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const places = ['last', 'first', 'second', 'third', 'fourth', 'fifth'];

/** `weekdays` from Monday on, Sunday being 0. */
function weekdayWords(weekdays: number[], ordinals: CronFields['ordinalWeekdays']): string | null {
  const indexes = weekdays.map((day) => (day + 6) % 7);
  const span = stretchOf(indexes);
  const placed = (ordinals ?? []).flatMap((days, place) =>
    weekdayNames
      .filter((_, index) => (days >> ((index + 1) % 7)) & 1)
      .map((name) => `the ${places[place]} ${name}`),
  );
  if (placed.length === 0 && span !== null && indexes.length > 2) {
    return `${weekdayNames[span[0]]} to ${weekdayNames[span[1]]}`;
  }
  const names = indexes.map((index) => `${weekdayNames[index]}s`);
  if (names.length + placed.length > longestList) return null;
  return `on ${list([...names, ...placed])}`;
}

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const nameOf = (month: number): string => monthNames[month - 1] ?? '';

function monthWords(months: number[]): string {
  if (months.length === 12) return '';
  const span = stretchOf(months);
  if (span !== null && months.length > 2) return `from ${nameOf(span[0])} to ${nameOf(span[1])}`;
  return `in ${list(months.map(nameOf))}`;
}

/** The first and last of values that follow one another without a gap, or null. */
function stretchOf(values: number[]): [number, number] | null {
  const [first = 0] = values;
  const last = values.at(-1) ?? 0;
  return last - first === values.length - 1 ? [first, last] : null;
}

/** The distance of values that are equally far from each other until nothing more fits below `most`, or null. */
function stepOf(values: number[], most: number): number | null {
  const [first = 0, second = 0] = values;
  const step = second - first;
  const isRegular = values.every((value, index) => value === first + index * step);
  return isRegular && step > 0 && (values.at(-1) ?? 0) + step > most ? step : null;
}

function valuesOf(bits: number, least: number, most: number, offset = 0): number[] {
  const values: number[] = [];
  for (let value = least; value <= most; value += 1) {
    if ((bits >> value) & 1) values.push(value + offset);
  }
  return values;
}

const clock = (hour: number, minute: number): string => `${two(hour)}:${two(minute)}`;
const two = (value: number): string => String(value).padStart(2, '0');

function ordinal(value: number): string {
  const ending = value > 3 && value < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}

function list(items: string[]): string {
  return items.length < 2
    ? (items[0] ?? '')
    : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
