/** Files of definitions, read from the disk. */

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { JobdError } from '../../../domain/errors.ts';
import { fileProblem } from '../../../domain/file-problem.ts';
import { fileKinds, jobKind, type Definition, type FileKind } from './kinds.ts';
import { nearest } from '../../../domain/nearest.ts';
import { parseFile, placeText } from './parse-file.ts';
import type { Entry, Place, Problem, Value } from './parse-file.ts';
import { readDefinition, readField } from './read-definition.ts';
import type { Sources } from './references.ts';

/** Larger than any such file that a person keeps. */
const mostBytes = 1024 * 1024;
/** The schema that `jobd schema` writes may be kept beside the files. */
const extensions = /(?<!\.schema)\.(ya?ml|json)$/;

export type Variable = (name: string) => string | undefined;

/** Reads files: their definitions, and all problems in them. Throws `usage` for a file that cannot be read. */
export async function loadDefinitions(
  paths: readonly string[],
  variable: Variable,
): Promise<{ definitions: Definition[]; problems: Problem[] }> {
  const loaded = emptyLoad();
  for (const path of filesOf(paths)) {
    const text = path === '-' ? await readInput(process.stdin) : readText(path, path);
    const folder = path === '-' ? '.' : dirname(path);
    const file = (name: string): string => readText(resolve(folder, name), name);
    readDefinitions(loaded, { path, text }, { variable, file });
  }
  return loaded;
}

/** The result so far, and where each key is defined, by section and key. */
export interface Load {
  definitions: Definition[];
  problems: Problem[];
  keys: Map<string, Place>;
}

/** Nothing read yet. */
export function emptyLoad(): Load {
  return { definitions: [], problems: [], keys: new Map() };
}

/** Adds the definitions and the problems of one file, the problems in the order of its lines. */
export function readDefinitions(
  load: Load,
  { path, text }: { path: string; text: string },
  sources: Sources,
): void {
  const { value, problems } = parseFile(path, text);
  const labels = value === null ? [] : defaultLabels(value, sources, problems);
  for (const { kind, entry } of value === null ? [] : definitionsIn(value, problems)) {
    const { name: key, place } = entry;
    const first = load.keys.get(`${kind.section}/${key}`);
    if (first === undefined) load.keys.set(`${kind.section}/${key}`, place);
    else {
      const sentence = `the key ${key.slice(0, 63)} is already defined at ${placeText(first)}`;
      problems.push({ place, sentence });
    }
    const whole = withLabels(kind, entry, labels);
    const definition = readDefinition(kind, whole, sources, problems);
    if (definition !== null) load.definitions.push(definition);
  }
  load.problems.push(...problems.toSorted(byPlace));
}

const sections = fileKinds.map(({ section }) => section);
/** `labels` are those of all jobs and monitors of a file. */
const known: readonly string[] = [...sections, 'labels'];
const anySection = `${sections.slice(0, -1).join(':, ')}: or ${sections.at(-1)}:`;

/** The entries of all sections. A section without a value has none. */
function definitionsIn(file: Value, problems: Problem[]): { kind: FileKind; entry: Entry }[] {
  for (const { name, place } of file.entries) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    const hint = meant === undefined ? `the file has ${anySection}` : `did you mean ${meant}?`;
    problems.push({ place, sentence: `${name.slice(0, 60)} is not known here, ${hint}` });
  }
  const found = fileKinds.map((kind) => {
    const [first, second] = file.entries.filter(({ name }) => name === kind.section);
    const { section } = kind;
    if (second) problems.push({ place: second.place, sentence: `${section} is there twice` });
    if (first === undefined) return { isThere: false, entries: [] };
    const { kind: given, place, entries } = first.value;
    if (given !== 'mapping' && given !== 'nothing') {
      const sentence = `${section} must be a mapping of keys to definitions, got a ${given}`;
      problems.push({ place, sentence });
    }
    return { isThere: true, entries: entries.map((entry) => ({ kind, entry })) };
  });
  if (problems.length === 0 && !found.some(({ isThere }) => isThere)) {
    const sentence = `the file must have ${anySection}, and under it a definition for each key`;
    problems.push({ place: file.place, sentence });
  }
  return found.flatMap(({ entries }) => entries);
}

/** The labels that a file gives to all its jobs and monitors; none if there are problems. */
function defaultLabels(file: Value, sources: Sources, problems: Problem[]): readonly Entry[] {
  const [first, second] = file.entries.filter(({ name }) => name === 'labels');
  if (second) problems.push({ place: second.place, sentence: 'labels is there twice' });
  if (first === undefined) return [];
  const { length } = problems;
  readField({ kind: jobKind, sources, problems, secrets: [] }, 'labels', first.value);
  return problems.length > length ? [] : first.value.entries;
}

/** A definition with the labels that its file gives to all. Its own values win. */
function withLabels({ fields, required }: FileKind, entry: Entry, all: readonly Entry[]): Entry {
  const { value } = entry;
  const own = value.entries.find(({ name }) => name === 'labels');
  const labels = own?.value ?? { place: value.place, kind: 'mapping', entries: [] };
  const hasFields = value.kind === 'mapping' || (value.kind === 'nothing' && required.length === 0);
  const mayHave = fields['labels'] !== undefined && hasFields && labels.kind === 'mapping';
  if (all.length === 0 || !mayHave) return entry;
  const names = new Set(labels.entries.map(({ name }) => name));
  const entries = [...labels.entries, ...all.filter(({ name }) => !names.has(name))];
  const { place } = labels;
  const whole: Value = { place, kind: 'mapping', text: '', items: [], entries };
  const others = value.entries.filter((other) => other !== own);
  const fieldsOfIt = [...others, { name: 'labels', place, value: whole }];
  return { ...entry, value: { ...value, kind: 'mapping', entries: fieldsOfIt } };
}

function byPlace({ place: one }: Problem, { place: other }: Problem): number {
  return one.line - other.line || one.column - other.column;
}

/** The files of the paths: in a directory those with a known extension, sorted, without hidden ones. */
function filesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (path === '-' || !readable(path, () => statSync(path).isDirectory())) return [path];
    const names = readdirSync(path).filter(
      (name) => extensions.test(name) && !name.startsWith('.'),
    );
    if (names.length > 0) return names.toSorted().map((name) => join(path, name));
    throw new JobdError('usage', `${path} holds no *.yaml, *.yml or *.json file`);
  });
}

/** The text of a file, called `name` where it cannot be read. Throws `usage`. */
export function readText(path: string, name: string): string {
  // A device or a pipe has no size, and may have no end.
  const bytes = Buffer.alloc(mostBytes + 1);
  let length = 0;
  const descriptor = readable(name, () => openSync(path, 'r'));
  try {
    for (let more = -1; more !== 0 && length < bytes.length; length += more) {
      more = readable(name, () => readSync(descriptor, bytes, { offset: length }));
    }
  } finally {
    closeSync(descriptor);
  }
  return textOf(bytes.subarray(0, length), name);
}

function textOf(bytes: Uint8Array, name: string): string {
  if (bytes.length > mostBytes) {
    throw new JobdError('usage', `${name} is over 1 MiB: divide it into smaller files`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new JobdError('usage', `${name} is not UTF-8`, { cause: error });
  }
}

/** The text of standard input. Throws `usage`, and reads no further, if it is too long. */
export async function readInput(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) break;
  }
  return textOf(Buffer.concat(chunks), 'standard input');
}

function readable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new JobdError('usage', fileProblem(name, error), { cause: error });
  }
}
