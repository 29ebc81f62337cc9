/** One definition of a file, field by field: every problem is told at its place, not only the first one. */

import { messageOf } from '../../domain/errors.ts';
import { characterCount } from '../../domain/characters.ts';
import { checkHeaders, maxHeaders } from '../../domain/jobs/headers.ts';
import { isId } from '../../domain/id.ts';
import { defineJob } from '../../domain/jobs/job-input.ts';
import type { JobInput } from '../../domain/jobs/job-input.ts';
import { jobLimits, methods } from '../../domain/jobs/job.ts';
import type { Method } from '../../domain/jobs/job.ts';
import { jobKeyPattern, jobKeyRule } from '../../domain/jobs/managed-job.ts';
import { readSchedule } from '../../domain/schedule/schedule-input.ts';
import { everywhere, judgeUrl } from '../../domain/targets/target.ts';
import { parseDuration } from '../options.ts';
import { fieldNames, nowhere } from './definition.ts';
import type { Definition, FieldName } from './definition.ts';
import { nearest } from './nearest.ts';
import type { Entry, Value } from './parse-file.ts';
import type { Problem } from './place.ts';
import { fillIn, fillVariables, withoutSecrets } from './references.ts';
import type { Filled, Sources } from './references.ts';

type Fields = ReadonlyMap<FieldName, Value>;

/** Reads a definition; null if there are problems, which are added to the list. */
export function readDefinition(
  { name: key, place, value }: Entry,
  sources: Sources,
  problems: Problem[],
): Definition | null {
  const before = problems.length;
  if (!jobKeyPattern.test(key)) problems.push({ place, sentence: `a key must be ${jobKeyRule}` });
  if (value.kind !== 'mapping') {
    problems.push({ place: value.place, sentence: `${key} must have fields, name: and url: …` });
    return null;
  }
  const fields = fieldsOf(value, problems);
  const read = readerOf(fields, problems);
  const url = read('url', (text) => checkedUrl(fillVariables(text, sources)));
  const headers = readHeaders(fields.get('headers'), sources, problems);
  const body = read('body', (text) => fillIn(text, sources));
  const secrets = [url, body, ...(headers ?? [])].flatMap((filled) => filled?.secrets ?? []);
  const job = withoutUndefined({
    name: read('name', shorterThan(jobLimits.nameLength)) ?? key,
    url: url?.text ?? '',
    method: read('method', (text) => oneOfMethods(text)),
    ...(headers && { headers: Object.fromEntries(headers.map(({ name, text }) => [name, text])) }),
    body: body?.text,
    ...readScheduleFields(fields, read, problems),
    timeoutSeconds: read('timeout', (text) =>
      within(parseDuration(text, 'timeout'), 'timeoutSeconds', ' s'),
    ),
    retries: read('retries', (text) => within(wholeNumber(text), 'retries')),
    paused: read('paused', yesOrNo),
    notes: read('notes', shorterThan(jobLimits.notesLength)),
  }) as unknown as JobInput;
  const adopt = read('adopt', idOfJob);
  if (!fields.has('url')) problems.push({ place, sentence: `${key} has no url` });
  if (problems.length === before) checkWhole(job, fields, { place, secrets, problems });
  if (problems.length > before) return null;
  const writtenUrl = url && url.secrets.length > 0 ? fields.get('url')?.text : undefined;
  const isBodySecret = (body?.secrets.length ?? 0) > 0;
  return { key, place, job, adopt, writtenUrl, isBodySecret, secrets };
}

/** The known fields; others, and those that are there twice, are problems. */
function fieldsOf({ entries }: Value, problems: Problem[]): Fields {
  const fields = new Map<FieldName, Value>();
  for (const { name, place, value } of entries) {
    const field = fieldNames.find((known) => known === name);
    if (field === undefined) {
      const meant = nearest(name, fieldNames);
      const known =
        meant === undefined ? `known are ${fieldNames.join(', ')}` : `did you mean ${meant}?`;
      problems.push({ place, sentence: `${name.slice(0, 60)} is not a field, ${known}` });
    } else if (fields.has(field)) problems.push({ place, sentence: `${name} is there twice` });
    else fields.set(field, value);
  }
  return fields;
}

type Read = <T>(field: FieldName, parse: (text: string) => T) => T | undefined;

function readerOf(fields: Fields, problems: Problem[]): Read {
  return (field, parse) => {
    const value = fields.get(field);
    return value && readValue(value, field, problems, parse);
  };
}

function readValue<T>(
  { kind, place, text }: Value,
  field: string,
  problems: Problem[],
  parse: (text: string) => T,
): T | undefined {
  try {
    if (kind !== 'text') throw new Error(`${field} must be a text, got ${gotOf(kind)}`);
    return parse(text);
  } catch (error) {
    problems.push({ place, sentence: inWordsOfFile(field, error) });
    return undefined;
  }
}

function gotOf(kind: Value['kind']): string {
  return kind === 'nothing' ? 'nothing' : `a ${kind}`;
}

/** The names of a field in the API, and in a file. */
const wordsOfFile = { cronExpr: 'cron', periodSeconds: 'every', timeoutSeconds: 'timeout' };

/** A sentence that begins with the field, as those of the domain do. */
function inWordsOfFile(field: string, error: unknown): string {
  const message = messageOf(error);
  const words = Object.entries(wordsOfFile).reduce(
    (text, [word, name]) => text.replaceAll(word, name),
    message,
  );
  if (words.startsWith(field)) return words;
  return words.startsWith('must ') ? `${field} ${words}` : `${field}: ${words}`;
}

function readHeaders(
  value: Value | undefined,
  sources: Sources,
  problems: Problem[],
): ({ name: string } & Filled)[] | null {
  if (value === undefined) return null;
  if (value.kind !== 'mapping') {
    const sentence = `headers must be a mapping of names to values, got ${gotOf(value.kind)}`;
    problems.push({ place: value.place, sentence });
    return null;
  }
  if (value.entries.length > maxHeaders) {
    const sentence = `headers must be at most ${maxHeaders}, got ${value.entries.length}`;
    problems.push({ place: value.place, sentence });
    return null;
  }
  const headers: ({ name: string } & Filled)[] = [];
  for (const { name, place, value: header } of value.entries) {
    const field = `headers.${name.slice(0, 60)}`;
    const filled = readValue(header, field, problems, (text) =>
      withoutNewline(fillIn(text, sources), text),
    );
    if (filled === undefined) continue;
    try {
      checkHeaders({ [name]: filled.text });
      if (headers.some((other) => other.name === name)) throw new Error(`${name} is there twice`);
      headers.push({ name, ...filled });
    } catch (error) {
      problems.push({ place, sentence: inWordsOfFile('headers', error) });
    }
  }
  return headers;
}

/** Files end with a line break as a rule; a header value cannot. */
function withoutNewline(filled: Filled, written: string): Filled {
  if (!written.startsWith('file:')) return filled;
  const text = filled.text.replace(/\r?\n$/, '');
  return { text, secrets: [text] };
}

function readScheduleFields(fields: Fields, read: Read, problems: Problem[]): Partial<JobInput> {
  const cron = read('cron', (text) => (readSchedule({ cronExpr: text }), text));
  const timezone = read('timezone', (text) => (readSchedule({ timezone: text }), text));
  const every = read('every', (text) => {
    const periodSeconds = parseDuration(text, 'every');
    readSchedule({ scheduleType: 'period', periodSeconds });
    return periodSeconds;
  });
  const place = fields.get('every')?.place;
  if (place === undefined)
    return {
      ...(cron !== undefined && { cronExpr: cron }),
      ...(timezone !== undefined && { timezone }),
    };
  for (const other of ['cron', 'timezone'] as const) {
    if (fields.has(other))
      problems.push({ place, sentence: `every and ${other} exclude each other` });
  }
  return every === undefined ? {} : { scheduleType: 'period', periodSeconds: every };
}

/** What only the fields together can break. */
function checkWhole(
  job: JobInput,
  fields: Fields,
  { place, secrets, problems }: Pick<Definition, 'place' | 'secrets'> & { problems: Problem[] },
): void {
  try {
    defineJob(job, nowhere);
  } catch (error) {
    const sentence = withoutSecrets(inWordsOfFile('', error), secrets);
    const field = fieldNames.find((name) => sentence.startsWith(name));
    problems.push({ place: (field && fields.get(field)?.place) ?? place, sentence });
  }
}

/** A sentence about a URL repeats it, or a part of it. */
function checkedUrl(filled: Filled): Filled {
  try {
    judgeUrl(filled.text, everywhere);
    return filled;
  } catch (error) {
    if (filled.secrets.length === 0) throw error;
    const message = (error as Error).message.split(', got ', 1)[0] ?? '';
    throw new Error(withoutSecrets(message, filled.secrets), { cause: error });
  }
}

function shorterThan(limit: number): (text: string) => string {
  return (text) => {
    const length = characterCount(text);
    if (length > limit) throw new Error(`must be at most ${limit} characters, got ${length}`);
    return text;
  };
}

function oneOfMethods(text: string): Method {
  const method = methods.find((known) => known === text);
  if (method === undefined)
    throw new Error(`must be one of ${methods.join(', ')}, got ${text.slice(0, 60)}`);
  return method;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`must be a whole number, got ${text.slice(0, 60)}`);
  return Number(text);
}

function within(number: number, field: 'retries' | 'timeoutSeconds', unit = ''): number {
  const { min, max } = jobLimits[field];
  if (number >= min && number <= max) return number;
  throw new Error(`must be between ${min}${unit} and ${max}${unit}, got ${number}${unit}`);
}

function yesOrNo(text: string): boolean {
  if (text !== 'true' && text !== 'false')
    throw new Error(`must be true or false, got ${text.slice(0, 60)}`);
  return text === 'true';
}

function idOfJob(text: string): string {
  const id = text.toLowerCase();
  if (!isId(id)) throw new Error(`must be the id of a job, got ${text.slice(0, 60)}`);
  return id;
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
