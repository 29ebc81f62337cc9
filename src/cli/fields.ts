/** The fields that people set, as options and as they are shown: made from the table of a job, a monitor or a channel. */

import type { Command } from 'commander';
import { durationOf } from '../domain/durations.ts';
import { JobdError } from '../domain/errors.ts';
import { isTime, labelInside, optionFor, type Field, type Fields } from '../domain/fields.ts';
import { labelWords, type Labels } from '../domain/labels.ts';
import { scheduleFields } from '../domain/schedule/fields.ts';
import type { Flags } from '../settings/config.ts';
import {
  checkedSeconds,
  fieldOf,
  parseChoice,
  parseDuration,
  parseWholeNumber,
} from '../settings/setting.ts';
import { labelsAfter } from './labels.ts';
import { collect, parseSeconds, textOrFile } from './options.ts';

/** What stands for a value in help. */
const places: Readonly<Record<Field['form'], string>> = {
  text: '<text>',
  url: '<url>',
  word: '<word>',
  words: '<words>',
  count: '<n>',
  duration: '<duration>',
  seconds: '<duration>',
  time: '<time>',
  flag: '',
  content: '<text|@file|->',
  secret: '<@file|->',
  labels: '<key=value>',
  special: '',
};

/** Adds an option for each field that has one, but for those of a schedule. Help says defaults for what is new. */
export function withFieldOptions(
  command: Command,
  fields: Fields,
  { isNew }: { isNew: boolean },
): Command {
  for (const [name, field] of Object.entries(fields)) {
    const place = places[field.form];
    if (place === '' || isOfSchedule(name)) continue;
    const flags = `${name === 'selector' ? '-l, ' : ''}${optionFor(name, field)} ${place}`;
    const option = command.createOption(flags, helpOf(field, isNew));
    if (field.form === 'labels') option.argParser(collect);
    command.addOption(option.makeOptionMandatory(isNew && name === 'name'));
  }
  return command;
}

/** Adds the options that take something away. */
export function withOffOptions(command: Command, fields: Fields): Command {
  for (const { form, off } of Object.values(fields)) {
    if (off === undefined) continue;
    const option = command.createOption(...off);
    // It changes what `--label` gives.
    if (form === 'labels') option.argParser((key, given: string[]) => collect(`${key}-`, given));
    command.addOption(option);
  }
  return command;
}

function helpOf(field: Field, isNew: boolean): string {
  const { form, rule, help } = field;
  const { minimum = 0, maximum = 0 } = rule;
  const times = `${durationOf(minimum)} to ${durationOf(maximum)}`;
  const known = (rule.enum ?? rule.items?.enum ?? []).join(', ');
  const values: Partial<Record<Field['form'], string>> = {
    word: `: ${known}`,
    words: `: ${known}; or none`,
    count: `, ${minimum} to ${maximum}`,
    duration: `, ${times}`,
    seconds: `, ${times}`,
    labels: '; may be repeated',
    content: ': the text, a file, or standard input',
    secret: ', in a file',
  };
  const usual = isNew ? usualText(field) : null;
  return `${help}${values[form] ?? ''}${usual === null ? '' : ` (default ${usual})`}`;
}

function usualText(field: Field): string | null {
  const { default: usual, defaultNote } = field;
  if ((typeof usual !== 'string' && typeof usual !== 'number') || usual === '') return null;
  const shown = typeof usual === 'number' && isTime(field) ? durationOf(usual) : usual;
  return defaultNote === undefined ? `${shown}` : `${shown}, ${defaultNote}`;
}

/** `withScheduleOptions` adds its options: the zone of this machine is their default. */
function isOfSchedule(name: string): boolean {
  return Object.hasOwn(scheduleFields, name);
}

/** The fields that the options give. Throws `invalid_input`, naming the option. */
export async function givenFields<Update extends object>(
  flags: Flags,
  fields: Fields,
): Promise<Update> {
  const given: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const option = optionFor(name, field);
    const value = flags[fieldOf(option)];
    if (field.form === 'labels' && Array.isArray(value)) {
      given[name] = labelsAfter(null, value, option);
    }
    if (typeof value === 'string' && places[field.form] !== '' && !isOfSchedule(name)) {
      given[name] = await parsed(value, option, field);
    }
    if (field.off !== undefined && flags[fieldOf(field.off[0])] === false) {
      given[name] = field.default;
    }
  }
  return given as Update;
}

async function parsed(text: string, option: string, field: Field): Promise<unknown> {
  const { form, rule } = field;
  const { minimum: min = 0, maximum: max = Infinity } = rule;
  const known = (rule.enum ?? rule.items?.enum ?? []).map(String);
  if (form === 'count') return parseWholeNumber(text, option, { min, max });
  if (form === 'word') return wordIn(known, text, option);
  if (form === 'words') {
    const all = text === 'none' ? [] : text.split(',');
    return all.map((word) => wordIn(known, word.trim(), option));
  }
  if (form === 'content') return await textOrFile(text, option);
  if (form === 'secret') return await secretIn(text, option);
  if (!isTime(field)) return text;
  const bounds = { min, max };
  const seconds =
    form === 'seconds' ? parseSeconds(text, option) : parseDuration(text, option, bounds);
  return checkedSeconds(seconds, option, bounds);
}

/** One of these words, in letters of any case. */
function wordIn(known: readonly string[], text: string, option: string): string {
  const word = known.find((one) => one.toLowerCase() === text.toLowerCase());
  return word ?? parseChoice(text, option, known);
}

/** A secret is never typed: other users of the machine can see that. */
async function secretIn(text: string, option: string): Promise<string> {
  if (text === '-' || text.startsWith('@')) return (await textOrFile(text, option)).trim();
  throw new JobdError('usage', `${option} must be @FILE, or - for standard input`);
}

/** What is set, as people read it, by label. Left out is what is null or empty, the schedule, and what is shown `otherwise`. */
export function settingsOf(
  fields: Fields,
  item: object,
  otherwise: readonly string[],
): Record<string, string> {
  const values = item as Readonly<Record<string, unknown>>;
  const lines = Object.entries(fields).flatMap(([name, field]) => {
    const isOther = otherwise.includes(name) || isOfSchedule(name) || field.form === 'special';
    const text = isOther ? '' : textOf(field, values[name] ?? '');
    return text === '' ? [] : [[labelInside(field.label), text] as const];
  });
  return Object.fromEntries(lines);
}

function textOf(field: Field, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return isTime(field) ? durationOf(value) : String(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') return labelWords(value as Labels);
  return (value as string).replaceAll(/(?<!\s)\s*\n\s*/g, ' / ');
}
