/**
 * Reads cron expressions. The syntax is decided here, and numbers are expanded here: anybody may send thousands of long lists
 * of them. cron-parser judges and expands the other items, one at a time. Given a whole expression it would refuse what
 * crontabs contain (`0,7`, `1-5,3`, lists of `#`) and accept what jobd does not (`?`, `H`, seconds, `@secondly`).
 */
import { CronExpressionParser } from 'cron-parser';
import { LRUCache } from 'lru-cache';
import { got, invalidInput } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { foreignHint } from './foreign.ts';
import { type CronFields, matchingDays } from './match.ts';

const fieldRules = [
  { name: 'minute', key: 'minute', least: 0, most: 59, size: 60, takes: '0 to 59' },
  { name: 'hour', key: 'hour', least: 0, most: 23, size: 24, takes: '0 to 23' },
  { name: 'day-of-month', key: 'dayOfMonth', least: 1, most: 31, size: 31, takes: '1 to 31 or L' },
  { name: 'month', key: 'month', least: 1, most: 12, size: 12, takes: '1 to 12 or jan to dec' },
  {
    name: 'day-of-week',
    key: 'dayOfWeek',
    least: 0,
    most: 7,
    size: 7,
    takes: '0 to 7 or sun to sat, also like 5L (the last Friday) or 5#2 (the second Friday)',
  },
] as const;
type FieldRule = (typeof fieldRules)[number];

/** Names of three letters; a longer one begins with it. */
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Days in other languages, where no name of another day is meant. */
const foreignDays: Readonly<Record<string, string>> = {
  lun: 'mon',
  mar: 'tue',
  mer: 'wed',
  mie: 'wed',
  jeu: 'thu',
  jue: 'thu',
  gio: 'thu',
  ven: 'fri',
  vie: 'fri',
  sam: 'sat',
  sab: 'sat',
  dim: 'sun',
  dom: 'sun',
  die: 'tue',
  din: 'tue',
  mit: 'wed',
  woe: 'wed',
  don: 'thu',
  zon: 'sun',
};
const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const nicknames = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

const maxLength = 200;

/**
 * Parsed expressions: parsing one costs 125 µs, a due time 1 µs. The bound is memory, in bytes: it holds
 * 80,000 expressions of 310 to 400 bytes (measured), and takes nothing in advance.
 */
const cache = new LRUCache<string, CronFields>({
  maxSize: 32_000_000,
  sizeCalculation: (_, cronExpr) => 400 + cronExpr.length,
});

/**
 * Parses a cron expression: five fields (names, ranges, steps, lists, `L`, `#`) or a nickname
 * (docs/behavior.md#schedule-1). Results are shared and must not be changed.
 * Throws invalid_input that names the field, also for an expression that no date ever matches.
 */
export function parseCron(cronExpr: string): CronFields {
  const known = cache.get(cronExpr);
  if (known !== undefined) return known;
  const fields = readFields(splitFields(cronExpr));
  if (!someDayMatches(fields)) {
    throw invalidInput(
      `cronExpr never fires: no date matches its day and month fields, ${got(cronExpr)}`,
    );
  }
  cache.set(cronExpr, fields);
  return fields;
}

/** A sentence for each field whose step is past its end: it does not make every 90 minutes. In a list, such a step is meant. */
export function longSteps(cronExpr: string): string[] {
  return splitFields(cronExpr).flatMap((text, at) => {
    const { name, size } = fieldRules[at]!;
    const [, step] = /^[^,]+\/(\d+)$/.exec(text) ?? [];
    if (step === undefined || Number(step) < size) return [];
    const advice = `: for every ${step} ${name.replace(/-.*/, '')}s, set an interval instead`;
    return `${text} in the ${name} field is its first value alone${name === 'month' ? '' : advice}`;
  });
}

type FieldTexts = [string, string, string, string, string];

function splitFields(cronExpr: string): FieldTexts {
  if (cronExpr.length > maxLength) {
    throw invalidInput(
      `cronExpr must have at most ${maxLength} characters, got ${cronExpr.length}`,
    );
  }
  const words = cronExpr.split(/[ \t]/).filter((word) => word !== '');
  if (words[0]?.startsWith('@') === true) {
    const meaning = words.length === 1 ? nicknames.get(words[0].toLowerCase()) : undefined;
    if (meaning !== undefined) return splitFields(meaning);
    const all = [...nicknames.keys()].join(' ');
    const near = nearest(words[0], [...nicknames.keys()]);
    const meant = near === undefined ? hintOn(cronExpr) : `; did you mean ${near}?`;
    throw invalidInput(`cronExpr must be five fields or one of ${all}, ${got(cronExpr)}${meant}`);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...rest] = words;
  if (dayOfWeek === undefined || rest.length > 0) {
    throw invalidInput(
      `cronExpr must have 5 fields (minute hour day-of-month month day-of-week, no seconds), got ${words.length}${hintOn(cronExpr)}`,
    );
  }
  return [minute!, hour!, dayOfMonth!, month!, dayOfWeek];
}

function hintOn(cronExpr: string): string {
  const foreign = foreignHint(cronExpr);
  return foreign === null ? '' : `; ${foreign}`;
}

function readFields(texts: FieldTexts): CronFields {
  const [minuteText, hourText, dayOfMonthText, monthText, dayOfWeekText] = texts;
  const [minuteRule, hourRule, dayOfMonthRule, monthRule, dayOfWeekRule] = fieldRules;
  const minutes = readField(minuteRule, minuteText).values;
  const daysOfMonth = readField(dayOfMonthRule, dayOfMonthText);
  const { values: weekdays, ordinals } = readField(dayOfWeekRule, dayOfWeekText);
  return Object.freeze({
    minutes: [
      bitsOf(minutes.filter((minute) => minute < 30)),
      bitsOf(minutes.filter((minute) => minute >= 30).map((minute) => minute - 30)),
    ] as const,
    hours: bitsOf(readField(hourRule, hourText).values),
    daysOfMonth: bitsOf(daysOfMonth.values),
    lastDayOfMonth: daysOfMonth.ordinals.length > 0,
    months: bitsOf(readField(monthRule, monthText).values),
    weekdays: bitsOf(weekdays.map((day) => day % 7)),
    ordinalWeekdays:
      ordinals.length === 0
        ? null
        : [0, 1, 2, 3, 4, 5].map((place) =>
            bitsOf(ordinals.filter((day) => day.place === place).map((day) => day.weekday)),
          ),
    bothDaysMustMatch: dayOfMonthText.startsWith('*') || dayOfWeekText.startsWith('*'),
    fixed: !minuteText.includes('*') && !hourText.includes('*'),
  });
}

/** The values of a field. `L` and `#` are places in the month; 0 is the last. */
interface FieldValues {
  values: number[];
  ordinals: { weekday: number; place: number }[];
}

function readField(rule: FieldRule, text: string): FieldValues {
  const field: FieldValues = { values: [], ordinals: [] };
  for (const item of new Set(text.split(','))) {
    if (item === '') {
      throw invalidInput(`cronExpr: the ${rule.name} field has an empty list item, ${got(text)}`);
    }
    const { values, place } = numbersIn(rule, item) ?? expand(rule, readItem(rule, item), item);
    for (const value of values) {
      if (typeof value === 'string') {
        field.ordinals.push({ weekday: (Number.parseInt(value, 10) || 0) % 7, place: 0 });
      } else if (place > 0) field.ordinals.push({ weekday: value % 7, place });
      else field.values.push(value);
    }
  }
  return field;
}

/** What an item of numbers stands for; null for any other, and for one that breaks a rule. */
function numbersIn({ least, most }: FieldRule, item: string): Expanded | null {
  const match = /^(?:\*|(\d\d?)(?:-(\d\d?))?)(?:\/(\d+))?$/.exec(item);
  const [, one, last, every] = match ?? [];
  const from = Number(one ?? least);
  const to = Number(last ?? (one !== undefined && every === undefined ? one : most));
  const step = Number(every ?? 1);
  if (match === null || from < least || from > to || to > most || step < 1) return null;
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return { values, place: 0 };
}

// cron-parser reads a run of names ("janfeb") as one number, so a name must stand alone.
const plainItem =
  /^(?<values>\*|(?:\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?)(?:\/(?<step>\d+))?$/i;
const lastDayItem = /^L$/i;
const ordinalItem = /^(?:\d|[a-z]{3})(?:L|#\d)$/i;

/** An item as cron-parser understands it. Throws for what that would understand differently. */
function readItem(rule: FieldRule, item: string): string {
  if (rule.key === 'dayOfMonth' && lastDayItem.test(item)) return 'L';
  if (rule.key === 'dayOfWeek' && ordinalItem.test(item)) return item.replace(/l$/, 'L');
  const { values, step } = plainItem.exec(item)?.groups ?? {};
  if (values === undefined) throw refused(rule, item);
  if (step === undefined) return item;
  if (Number(step) < 1) {
    throw invalidInput(
      `cronExpr: a step in the ${rule.name} field must be at least 1, ${got(item)}`,
    );
  }
  // A longer step takes the first value alone, as cron does.
  return `${values}/${Math.min(Number(step), rule.size)}`;
}

/** The values of an item; `place` is the n of `#n`, or 0. */
interface Expanded {
  values: readonly (number | string)[];
  place: number;
}

/** What cron-parser made of items: there are few with letters, and each takes 30 µs. */
const expanded = new LRUCache<string, Expanded>({ max: 10_000 });

/** What an item stands for, which people have written in this way. */
function expand(rule: FieldRule, item: string, written: string): Expanded {
  // In a range Sunday ends the week: fri-sun is 5-7, not 5-0.
  const unambiguous =
    rule.key === 'dayOfWeek' ? item.replace(/^(?!sun|0)(\w+)-sun/i, '$1-7') : item;
  const name = `${rule.key} ${unambiguous.toLowerCase()}`;
  const known = expanded.get(name);
  if (known !== undefined) return known;
  const words = fieldRules.map(({ key }) => (key === rule.key ? unambiguous : '*'));
  try {
    // The options keep cron-parser from reading the clock and using randomness.
    const { fields } = CronExpressionParser.parse(`0 ${words.join(' ')}`, parserOptions);
    const place = rule.key === 'dayOfWeek' ? fields.dayOfWeek.nthDay : 0;
    const found = { values: fields[rule.key].values, place };
    expanded.set(name, found);
    return found;
  } catch {
    throw refused(rule, written);
  }
}

const parserOptions = { currentDate: 0, tz: 'UTC', hashSeed: 'unused' };

function refused(rule: FieldRule, item: string): Error {
  return invalidInput(
    `cronExpr: the ${rule.name} field takes ${rule.takes}${hint(rule, item)}, ${got(item)}`,
  );
}

function hint(rule: FieldRule, item: string): string {
  if (item.includes('?')) return ' (write * instead of ?)';
  if (/[\u2010-\u2015\u2212]/.test(item)) return ' (write a plain - for the dash)';
  if (item.includes('~')) return ' (jobd takes no value by chance: choose one)';
  const range = /^(\d+)-(\d+)/.exec(item);
  if (range !== null && Number(range[1]) > Number(range[2])) {
    return ` (a range goes upwards: write ${range[1]}-${rule.most},${rule.least}-${range[2]})`;
  }
  const unknown = unknownName(rule, item);
  if (unknown !== undefined) return ` (did you mean ${unknown}?)`;
  if (/^[a-z]{3}-[a-z]{3}\b/i.test(item))
    return ' (a range goes upwards: write the days or months as a list)';
  if (/^H\b/.test(item) || item.endsWith('W')) return ' (H and W are not supported)';
  if (/^L-\d/i.test(item))
    return ' (L is the last day of the month; none before it can be counted from there)';
  return '';
}

/** An item with the nearest names instead of unknown ones; undefined if there are none. */
function unknownName({ key }: FieldRule, item: string): string | undefined {
  const names = key === 'dayOfWeek' ? dayNames : key === 'month' ? monthNames : [];
  const meant = item.replace(/[a-z]{3,}/gi, (word) => {
    const start = word.slice(0, 3).toLowerCase();
    if (names.includes(start)) return start;
    const foreign = key === 'dayOfWeek' ? foreignDays[start] : undefined;
    const near = nearest(start, names, 1);
    return foreign ?? near ?? word;
  });
  return meant.toLowerCase() === item.toLowerCase() ? undefined : meant;
}

/** Every kind of year and month occurs in these years, and occurs again later. */
const firstMonth = 2000 * 12;
const lastMonth = 2040 * 12 + 11;

function someDayMatches(fields: CronFields): boolean {
  for (let month = firstMonth; month <= lastMonth; month += 1) {
    if (matchingDays(fields, month) !== 0) return true;
  }
  return false;
}

function bitsOf(values: readonly number[]): number {
  return values.reduce((bits, value) => bits | (1 << value), 0);
}
