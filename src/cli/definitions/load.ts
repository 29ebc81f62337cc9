/** Files of definitions, read from the disk. */

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text as readStream } from 'node:stream/consumers';
import { JobdError, systemCode } from '../../domain/errors.ts';
import type { Definition } from './definition.ts';
import { nearest } from '../../domain/nearest.ts';
import { parseFile, placeText } from './parse-file.ts';
import type { Entry, Place, Problem, Value } from './parse-file.ts';
import { readDefinition } from './read-definition.ts';
import type { Sources } from './references.ts';

/** Larger than any such file that a person keeps. */
const mostBytes = 1024 * 1024;
const extensions = /\.(ya?ml|json)$/;

export type Variable = (name: string) => string | undefined;

/** Reads files: their definitions, and all problems in them. Throws `usage` for a file that cannot be read. */
export async function loadDefinitions(
  paths: readonly string[],
  variable: Variable,
): Promise<{ definitions: Definition[]; problems: Problem[] }> {
  const loaded = emptyLoad();
  for (const path of filesOf(paths)) {
    const text = path === '-' ? await readStream(process.stdin) : readText(path, path);
    const folder = path === '-' ? '.' : dirname(path);
    const file = (name: string): string => readText(resolve(folder, name), name);
    readDefinitions(loaded, { path, text }, { variable, file });
  }
  return loaded;
}

/** The result so far, and where each key is defined. */
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
  if (value !== null) {
    for (const entry of definitionsIn(value, problems)) {
      const { name: key, place } = entry;
      const first = load.keys.get(key);
      if (first === undefined) load.keys.set(key, place);
      else {
        const sentence = `the key ${key.slice(0, 63)} is already defined at ${placeText(first)}`;
        problems.push({ place, sentence });
      }
      const definition = readDefinition(entry, sources, problems);
      if (definition !== null) load.definitions.push(definition);
    }
  }
  load.problems.push(...problems.toSorted(byPlace));
}

/** The entries of `jobs:`. No value means no jobs. */
function definitionsIn(file: Value, problems: Problem[]): readonly Entry[] {
  for (const { name, place } of file.entries) {
    if (name === 'jobs') continue;
    const meant = nearest(name, ['jobs'])
      ? 'did you mean jobs?'
      : 'the file has jobs: and nothing else';
    problems.push({ place, sentence: `${name.slice(0, 60)} is not known here, ${meant}` });
  }
  const [jobs, second] = file.entries.filter(({ name }) => name === 'jobs');
  if (second) problems.push({ place: second.place, sentence: 'jobs is there twice' });
  if (jobs?.value.kind === 'nothing') return [];
  if (jobs?.value.kind === 'mapping') return jobs.value.entries;
  if (jobs === undefined && problems.length > 0) return [];
  const place = jobs?.value.place ?? file.place;
  const sentence = 'the file must have jobs:, and under it a definition for each key';
  problems.push({ place, sentence });
  return [];
}

function byPlace({ place: one }: Problem, { place: other }: Problem): number {
  return one.line - other.line || one.column - other.column;
}

/** The files of the paths: in a directory those with a known extension, sorted, without hidden ones. */
function filesOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (path === '-' || !isDirectory(path)) return [path];
    const names = readdirSync(path).filter(
      (name) => extensions.test(name) && !name.startsWith('.'),
    );
    if (names.length > 0) return names.toSorted().map((name) => join(path, name));
    throw new JobdError('usage', `${path} holds no *.yaml, *.yml or *.json file`);
  });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The text of a file, called `name` where it cannot be read. Throws `usage`. */
export function readText(path: string, name: string): string {
  const bytes = read(path, name);
  if (bytes.length > mostBytes) {
    throw new JobdError('usage', `${name} is over 1 MiB`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new JobdError('usage', `${name} is not UTF-8`, { cause: error });
  }
}

function read(path: string, name: string): Buffer {
  try {
    const descriptor = openSync(path, 'r');
    try {
      return readAtMost(descriptor, mostBytes + 1);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Reads up to a limit: a device or a pipe has no size, and may have no end. */
function readAtMost(descriptor: number, limit: number): Buffer {
  const bytes = Buffer.alloc(limit);
  let length = 0;
  for (let more = -1; more !== 0 && length < limit; length += more) {
    more = readSync(descriptor, bytes, length, limit - length, null);
  }
  return bytes.subarray(0, length);
}

function unreadable(name: string, error: unknown): unknown {
  if (error instanceof JobdError) return error;
  return new JobdError('usage', `${name} cannot be read: ${systemCode(error)}`, { cause: error });
}
