/** Reads one definition of a file. Every problem is reported at its place, not only the first one. */

import { messageOf } from '../../../domain/errors.ts';
import { keyPattern, keyRule } from '../../../domain/definition.ts';
import { nearest } from '../../../domain/nearest.ts';
import type { FileField, Form } from './fields.ts';
import type { Definition, FileKind, Input } from './kind.ts';
import type { Entry, Place, Problem, Value } from './parse-file.ts';
import { fillIn, withoutSecrets } from './references.ts';
import type { Filled, Sources } from './references.ts';

type Written = ReadonlyMap<string, Value>;

/** Reads a definition; null if there are problems, which are added to the list. */
export function readDefinition(
  kind: FileKind,
  { name: key, place, value }: Entry,
  sources: Sources,
  problems: Problem[],
): Definition | null {
  const before = problems.length;
  if (!keyPattern.test(key)) problems.push({ place, sentence: `a key must be ${keyRule}` });
  const isEmpty = value.kind === 'nothing' && kind.required.length === 0;
  if (value.kind !== 'mapping' && !isEmpty) {
    const some = ['name', ...kind.required].map((name) => `${name}:`).join(' and ');
    problems.push({ place: value.place, sentence: `${key} must have fields, ${some} …` });
    return null;
  }
  const written = fieldsOf(kind, value, problems);
  const input: Record<string, unknown> = { name: key };
  const secrets: string[] = [];
  const texts = new Map<string, string>();
  for (const [name, field] of written) {
    const read = readField(kind, name, field, sources, problems);
    if (read === undefined) continue;
    input[kind.fields[name]?.api ?? name] = read.value;
    secrets.push(...read.secrets);
    if (read.secrets.length > 0 && field.kind === 'text') texts.set(name, field.text);
  }
  if (input['periodSeconds'] !== undefined) input['scheduleType'] = 'period';
  for (const name of kind.required) {
    if (!written.has(name)) problems.push({ place, sentence: `${key} has no ${name}` });
  }
  for (const [one, other] of kind.exclusive) {
    const given = written.get(one);
    if (given === undefined || !written.has(other)) continue;
    problems.push({ place: given.place, sentence: `${one} and ${other} exclude each other` });
  }
  const { adopt, ...rest } = input;
  if (problems.length === before) checkTogether(kind, rest, written, { place, secrets, problems });
  if (problems.length > before) return null;
  return {
    kind,
    key,
    place,
    input: rest,
    adopt: adopt as string | undefined,
    written: texts,
    secrets,
  };
}

/** The known fields. Unknown and repeated ones are problems. */
function fieldsOf({ fields: known }: FileKind, { entries }: Value, problems: Problem[]): Written {
  const fields = new Map<string, Value>();
  const names = Object.keys(known);
  for (const { name, place, value } of entries) {
    if (!names.includes(name)) {
      // People who know the API write its names.
      const meant = names.find((own) => known[own]?.api === name) ?? nearest(name, names);
      const hint = meant === undefined ? `known are ${names.join(', ')}` : `did you mean ${meant}?`;
      problems.push({ place, sentence: `${name.slice(0, 60)} is not a field, ${hint}` });
    } else if (fields.has(name)) problems.push({ place, sentence: `${name} is there twice` });
    else fields.set(name, value);
  }
  return fields;
}

/** A value as the API takes it, and the references that were filled in. */
interface Read {
  value: unknown;
  secrets: readonly string[];
}

function readField(
  kind: FileKind,
  name: string,
  written: Value,
  sources: Sources,
  problems: Problem[],
): Read | undefined {
  const { api, form } = kind.fields[name] as FileField;
  if (form.kind === 'mapping') return readMapping(kind, name, form, written, sources, problems);
  if (form.kind === 'list') return readList(kind, name, form, written, problems);
  return readText(kind, written, name, problems, (text) => {
    const { text: filled, secrets } = form.fill?.(text, sources) ?? { text, secrets: [] };
    const value = form.parse === undefined ? filled : form.parse(filled);
    try {
      kind.checkField({ [api]: value });
    } catch (error) {
      if (secrets.length === 0) throw error;
      // A sentence about a URL repeats a part of it.
      const message = messageOf(error).split(', got ', 1)[0] ?? '';
      throw new Error(withoutSecrets(message, secrets), { cause: error });
    }
    return { value, secrets };
  });
}

function readMapping(
  kind: FileKind,
  field: string,
  { most, check }: Form & { kind: 'mapping' },
  value: Value,
  sources: Sources,
  problems: Problem[],
): Read | undefined {
  const problem =
    value.kind === 'mapping'
      ? value.entries.length > most && `at most ${most}, got ${value.entries.length}`
      : `a mapping of names to values, got ${gotOf(value.kind)}`;
  if (problem !== false) {
    problems.push({ place: value.place, sentence: `${field} must be ${problem}` });
    return undefined;
  }
  const texts = new Map<string, string>();
  const secrets: string[] = [];
  for (const { name, place, value: written } of value.entries) {
    const path = `${field}.${name.slice(0, 60)}`;
    const filled = readText(kind, written, path, problems, (text) => fillLine(text, sources));
    if (filled === undefined) continue;
    attempt(kind, place, field, problems, () => {
      check(name, filled.text);
      if (texts.has(name)) throw new Error(`${name} is there twice`);
    });
    texts.set(name, filled.text);
    secrets.push(...filled.secrets);
  }
  return { value: Object.fromEntries(texts), secrets };
}

function readList(
  kind: FileKind,
  field: string,
  { parse }: Form & { kind: 'list' },
  { kind: given, place, items }: Value,
  problems: Problem[],
): Read | undefined {
  if (given !== 'list') {
    problems.push({ place, sentence: `${field} must be a list, got ${gotOf(given)}` });
    return undefined;
  }
  const value = items.map((item) => readText(kind, item, field, problems, parse));
  return { value: [...new Set(value)], secrets: [] };
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
  kind: FileKind,
  input: Input,
  written: Written,
  { place, secrets, problems }: Pick<Definition, 'place' | 'secrets'> & { problems: Problem[] },
): void {
  try {
    kind.check(input);
  } catch (error) {
    const sentence = withoutSecrets(inWordsOfFile(kind, '', error), secrets);
    const field = Object.keys(kind.fields).find((name) => sentence.startsWith(name)) ?? '';
    const value = written.get(field);
    const part = value?.entries.find(({ name }) => sentence.startsWith(`${field}.${name} `));
    problems.push({ place: part?.place ?? value?.place ?? place, sentence });
  }
}

/** What `parse` makes of a text. What it throws, and a value of another kind, is a problem of the field. */
function readText<T>(
  kind: FileKind,
  { kind: given, place, text }: Value,
  field: string,
  problems: Problem[],
  parse: (text: string) => T,
): T | undefined {
  return attempt(kind, place, field, problems, () => {
    if (given !== 'text') throw new Error(`${field} must be a text, got ${gotOf(given)}`);
    return parse(text);
  });
}

function attempt<T>(
  kind: FileKind,
  place: Place,
  field: string,
  problems: Problem[],
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
