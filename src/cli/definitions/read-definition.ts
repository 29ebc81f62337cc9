/** Reads one definition of a file. Every problem is reported at its place, not only the first one. */

import { messageOf } from '../../domain/errors.ts';
import { checkHeaders, maxHeaders } from '../../domain/jobs/headers.ts';
import { isId } from '../../domain/id.ts';
import { checkJobFields, defineJob } from '../../domain/jobs/job-input.ts';
import type { JobInput } from '../../domain/jobs/job-input.ts';
import { jobKeyPattern, jobKeyRule } from '../../domain/jobs/managed-job.ts';
import { checkSchedule } from '../../domain/schedule/schedule-input.ts';
import { everywhere } from '../../domain/targets/target.ts';
import { parseDuration } from '../options.ts';
import { fieldNames, fileFields, nowhere } from './definition.ts';
import type { Definition, FieldName } from './definition.ts';
import { nearest } from '../../domain/nearest.ts';
import type { Entry, Place, Problem, Value } from './parse-file.ts';
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
  const input: Record<string, unknown> = { name: key, url: '' };
  const filled = new Map<FieldName, readonly string[]>();
  for (const [name, written] of fields) {
    const read =
      name === 'headers'
        ? readHeaders(written, sources, problems)
        : readText(written, name, problems, (text) => readField(name, text, sources));
    if (read === undefined) continue;
    input[fileFields[name]] = read.value;
    filled.set(name, read.secrets);
  }
  if (input['periodSeconds'] !== undefined) input['scheduleType'] = 'period';
  if (!fields.has('url')) problems.push({ place, sentence: `${key} has no url` });
  for (const other of ['cron', 'timezone'] as const) {
    const every = fields.get('every');
    if (every === undefined || !fields.has(other)) continue;
    problems.push({ place: every.place, sentence: `every and ${other} exclude each other` });
  }
  const { adopt, ...job } = input as unknown as JobInput & { adopt?: string };
  const secrets = [...filled.values()].flat();
  if (problems.length === before) checkTogether(job, fields, { place, secrets, problems });
  if (problems.length > before) return null;
  const isFilledIn = (name: FieldName): boolean => (filled.get(name)?.length ?? 0) > 0;
  return {
    key,
    place,
    job,
    adopt,
    writtenUrl: isFilledIn('url') ? fields.get('url')?.text : undefined,
    isBodySecret: isFilledIn('body'),
    secrets,
  };
}

/** The known fields. Unknown and repeated ones are problems. */
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

/** A value as the API takes it, and the references that were filled in. */
interface Read {
  value: unknown;
  secrets: readonly string[];
}

/** The fields whose values may have references. */
const fillers: Partial<Record<FieldName, (text: string, sources: Sources) => Filled>> = {
  url: fillVariables,
  body: fillIn,
};

/** The fields that are not read as the text that was written. */
const parsers: Partial<Record<FieldName, (text: string) => unknown>> = {
  adopt: idOfJob,
  every: (text) => parseDuration(text, 'every'),
  timeout: (text) => parseDuration(text, 'timeout'),
  retries: wholeNumber,
  paused: trueOrFalse,
};

/** Reads a field and checks it by the rules of the API. Throws an error with a sentence, without what was filled in. */
function readField(name: FieldName, written: string, sources: Sources): Read {
  const { text, secrets } = fillers[name]?.(written, sources) ?? { text: written, secrets: [] };
  const parse = parsers[name];
  const value = parse === undefined ? text : parse(text);
  const field = { [fileFields[name]]: value };
  try {
    checkJobFields(field, everywhere);
    checkSchedule(field);
  } catch (error) {
    if (secrets.length === 0) throw error;
    // A sentence about a URL repeats a part of it.
    const message = messageOf(error).split(', got ', 1)[0] ?? '';
    throw new Error(withoutSecrets(message, secrets), { cause: error });
  }
  return { value, secrets };
}

function readHeaders(value: Value, sources: Sources, problems: Problem[]): Read | undefined {
  const problem =
    value.kind === 'mapping'
      ? value.entries.length > maxHeaders && `at most ${maxHeaders}, got ${value.entries.length}`
      : `a mapping of names to values, got ${gotOf(value.kind)}`;
  if (problem !== false) {
    problems.push({ place: value.place, sentence: `headers must be ${problem}` });
    return undefined;
  }
  const headers = new Map<string, string>();
  const secrets: string[] = [];
  for (const { name, place, value: written } of value.entries) {
    const field = `headers.${name.slice(0, 60)}`;
    const filled = readText(written, field, problems, (text) => fillHeader(text, sources));
    if (filled === undefined) continue;
    attempt(place, 'headers', problems, () => {
      checkHeaders({ [name]: filled.text });
      if (headers.has(name)) throw new Error(`${name} is there twice`);
    });
    headers.set(name, filled.text);
    secrets.push(...filled.secrets);
  }
  return { value: Object.fromEntries(headers), secrets };
}

/** Most files end with a line break; a header value cannot. */
function fillHeader(written: string, sources: Sources): Filled {
  const filled = fillIn(written, sources);
  if (!written.startsWith('file:')) return filled;
  const text = filled.text.replace(/\r?\n$/, '');
  return { text, secrets: [text] };
}

/** Checks what only the fields together can break. */
function checkTogether(
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

/** What `parse` makes of a text. What it throws, and a value of another kind, is a problem of the field. */
function readText<T>(
  { kind, place, text }: Value,
  field: string,
  problems: Problem[],
  parse: (text: string) => T,
): T | undefined {
  return attempt(place, field, problems, () => {
    if (kind !== 'text') throw new Error(`${field} must be a text, got ${gotOf(kind)}`);
    return parse(text);
  });
}

function attempt<T>(
  place: Place,
  field: string,
  problems: Problem[],
  work: () => T,
): T | undefined {
  try {
    return work();
  } catch (error) {
    problems.push({ place, sentence: inWordsOfFile(field, error) });
    return undefined;
  }
}

function gotOf(kind: Value['kind']): string {
  return kind === 'nothing' ? 'nothing' : `a ${kind}`;
}

/** What fields are called in files, where that is not their name in the API. */
const wordsOfFile: Record<string, string> = {
  cronExpr: 'cron',
  periodSeconds: 'every in seconds',
  timeoutSeconds: 'timeout in seconds',
};

/** A sentence that begins with the field, as those about the API's fields do. */
function inWordsOfFile(field: string, error: unknown): string {
  const sentence = messageOf(error).replace(/^\w+/, (word) =>
    Object.hasOwn(wordsOfFile, word) ? (wordsOfFile[word] ?? word) : word,
  );
  if (sentence.startsWith(field)) return sentence;
  return sentence.startsWith('must ') ? `${field} ${sentence}` : `${field}: ${sentence}`;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`must be a whole number, got ${text.slice(0, 60)}`);
  return Number(text);
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false')
    throw new Error(`must be true or false, got ${text.slice(0, 60)}`);
  return text === 'true';
}

function idOfJob(text: string): string {
  const id = text.toLowerCase();
  if (!isId(id)) throw new Error(`must be the id of a job, got ${text.slice(0, 60)}`);
  return id;
}
