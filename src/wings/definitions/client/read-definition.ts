/** Reads one definition of a file. Every problem is reported at its place, not only the first one. */

import { messageOf } from '../../../domain/errors.ts';
import { keyPattern, keyRule } from '../../../domain/definition.ts';
import { meantField } from '../../../domain/meant.ts';
import type { FileField, Form } from './fields.ts';
import type { Definition, FileKind, Input } from './kinds.ts';
import type { Entry, Place, Problem, Value } from './parse-file.ts';
import { fillIn, withoutSecrets, type Filled, type Sources } from './references.ts';

type Written = ReadonlyMap<string, Value>;

/** What a definition is read with. */
interface Reading {
  kind: FileKind;
  sources: Sources;
  problems: Problem[];
  /** All values that were filled in so far. */
  secrets: string[];
}

/** Reads a definition; null if there are problems, which are added to the list. */
export function readDefinition(
  kind: FileKind,
  { name: key, place, value }: Entry,
  sources: Sources,
  problems: Problem[],
): Definition | null {
  const before = problems.length;
  const secrets: string[] = [];
  const reading = { kind, sources, problems, secrets };
  if (!keyPattern.test(key)) problems.push({ place, sentence: `a key must be ${keyRule}` });
  const isEmpty = value.kind === 'nothing' && kind.required.length === 0;
  if (value.kind !== 'mapping' && !isEmpty) {
    const some = ['name', ...kind.required].map((name) => `${name}:`).join(' and ');
    problems.push({ place: value.place, sentence: `${key} must have fields, ${some} …` });
    return null;
  }
  const fields = fieldsOf(reading, value);
  const input: Record<string, unknown> = { name: key };
  const written = new Map<string, string>();
  for (const [name, field] of fields) {
    const { length } = secrets;
    const read = readField(reading, name, field);
    if (read !== undefined) input[kind.fields[name]?.api ?? name] = read;
    if (secrets.length > length && field.kind === 'text') written.set(name, field.text);
  }
  if (input['periodSeconds'] !== undefined) input['scheduleType'] = 'period';
  for (const name of kind.required) {
    if (!fields.has(name)) problems.push({ place, sentence: `${key} has no ${name}` });
  }
  const [one = '', other] = kind.exclusive.filter((name) => fields.has(name));
  if (other !== undefined) {
    const sentence = `${key}: use either ${one} or ${other}, not both`;
    problems.push({ place: fields.get(one)?.place ?? place, sentence });
  }
  const { adopt, ...rest } = input;
  if (problems.length === before) checkTogether(reading, rest, fields, place);
  if (problems.length > before) return null;
  return { kind, key, place, input: rest, adopt: adopt as string | undefined, written, secrets };
}

/** The known fields. Unknown and repeated ones are problems. */
function fieldsOf({ kind: { fields: known }, problems }: Reading, { entries }: Value): Written {
  const fields = new Map<string, Value>();
  const names = Object.keys(known);
  for (const { name, place, value } of entries) {
    if (!names.includes(name)) {
      // People who know the API write its names.
      const meant = names.find((own) => known[own]?.api === name) ?? meantField(name, names);
      const hint = meant === undefined ? `known are ${names.join(', ')}` : `did you mean ${meant}?`;
      problems.push({ place, sentence: `${name.slice(0, 60)} is not a field, ${hint}` });
    } else if (fields.has(name)) problems.push({ place, sentence: `${name} is there twice` });
    else fields.set(name, value);
  }
  return fields;
}

/** A value as the API takes it; undefined if there is a problem, which is added to those of the reading. */
export function readField(reading: Reading, name: string, written: Value): unknown {
  const { kind, sources } = reading;
  const { api, form } = kind.fields[name] as FileField;
  if (form.kind === 'mapping') return readMapping(reading, name, form, written);
  if (form.kind === 'list') return readList(reading, name, form, written);
  return readText(reading, name, written, (text) => {
    const { text: filled, secrets } = form.fill?.(text, sources) ?? { text, secrets: [] };
    reading.secrets.push(...secrets);
    const value = form.parse === undefined ? filled : form.parse(filled);
    try {
      kind.checkField({ [api]: value });
    } catch (error) {
      if (secrets.length === 0) throw error;
      // A sentence about a URL repeats a part of it.
      const message = messageOf(error).split(', got ', 1)[0] ?? '';
      throw new Error(withoutSecrets(message, secrets), { cause: error });
    }
    return value;
  });
}

function readMapping(
  reading: Reading,
  field: string,
  { most, check, isPlain }: Form & { kind: 'mapping' },
  { kind: given, place: at, entries }: Value,
): Record<string, string> | undefined {
  const problem =
    given === 'mapping'
      ? entries.length > most && `at most ${most}, got ${entries.length}`
      : `a mapping of names to values, got ${gotOf(given)}`;
  if (problem !== false) {
    reading.problems.push({ place: at, sentence: `${field} must be ${problem}` });
    return undefined;
  }
  const texts = new Map<string, string>();
  for (const { name, place, value } of entries) {
    const path = `${field}.${name.slice(0, 60)}`;
    const filled = readText(reading, path, value, (text) =>
      isPlain ? { text, secrets: [] } : fillLine(text, reading.sources),
    );
    if (filled === undefined) continue;
    attempt(reading, field, place, () => {
      check(name, filled.text);
      if (texts.has(name)) throw new Error(`${name} is there twice`);
    });
    texts.set(name, filled.text);
    reading.secrets.push(...filled.secrets);
  }
  return Object.fromEntries(texts);
}

function readList(
  reading: Reading,
  field: string,
  { parse }: Form & { kind: 'list' },
  { kind: given, place, items }: Value,
): unknown[] | undefined {
  if (given === 'list') {
    return [...new Set(items.map((item) => readText(reading, field, item, parse)))];
  }
  reading.problems.push({ place, sentence: `${field} must be a list, got ${gotOf(given)}` });
  return undefined;
}

/** Most files end with a line break; a header and a part of a config cannot. */
function fillLine(written: string, sources: Sources): Filled {
  const filled = fillIn(written, sources);
  if (!written.startsWith('file:')) return filled;
  const text = filled.text.replace(/\r?\n$/, '');
  return { text, secrets: [text] };
}

/** Checks what only the fields together can break. */
function checkTogether(
  { kind, problems, secrets }: Reading,
  input: Input,
  written: Written,
  place: Place,
): void {
  try {
    kind.check(input);
  } catch (error) {
    const sentence = withoutSecrets(inWordsOfFile(kind, '', error), secrets);
    const field = Object.keys(kind.fields).findLast((name) => sentence.startsWith(name)) ?? '';
    const value = written.get(field);
    const part = value?.entries.find(({ name }) => sentence.startsWith(`${field}.${name} `));
    problems.push({ place: part?.place ?? value?.place ?? place, sentence });
  }
}

/** What `parse` makes of a text. What it throws, and a value of another kind, is a problem of the field. */
function readText<T>(
  reading: Reading,
  field: string,
  { kind: given, place, text }: Value,
  parse: (text: string) => T,
): T | undefined {
  return attempt(reading, field, place, () => {
    if (given !== 'text') throw new Error(`${field} must be a text, got ${gotOf(given)}`);
    return parse(text);
  });
}

function attempt<T>(
  { kind, problems }: Reading,
  field: string,
  place: Place,
  work: () => T,
): T | undefined {
  try {
    return work();
  } catch (error) {
    problems.push({ place, sentence: inWordsOfFile(kind, field, error) });
    return undefined;
  }
}

function gotOf(kind: Value['kind']): string {
  return kind === 'nothing' ? 'nothing' : `a ${kind}`;
}

/** A sentence that begins with the field, by its name in files, as those about the API's fields do. */
function inWordsOfFile(kind: FileKind, field: string, error: unknown): string {
  const sentence = wordedForFiles(kind, messageOf(error));
  if (sentence.startsWith(field)) return sentence;
  return sentence.startsWith('must ') ? `${field} ${sentence}` : `${field}: ${sentence}`;
}

/** A sentence of the API that begins with one of its fields, with the name that the field has in files. */
export function wordedForFiles({ fields }: Pick<FileKind, 'fields'>, sentence: string): string {
  return sentence.replace(/^\w+/, (word) => {
    const [name] = Object.entries(fields).find(([, { api }]) => api === word) ?? [word];
    return word === name || !word.endsWith('Seconds') ? name : `${name} in seconds`;
  });
}
