/**
 * The text of a file of definitions as values with their places. YAML 1.2, which includes JSON. Nothing is guessed: a
 * plain value is the text that was written, so `no`, `012` and `1.10` stay as they are.
 */

import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Alias, Document, Node, Pair, Scalar, YAMLError } from 'yaml';

/** Where something is written. Line and column count from 1. */
export interface Place {
  /** The file as people named it; `-` for standard input. */
  path: string;
  line: number;
  column: number;
}

/** A sentence about a place. */
export interface Problem {
  place: Place;
  sentence: string;
}

/** `jobs.yaml:12:5`: editors and CI systems make it a link. */
export function placeText({ path, line, column }: Place): string {
  return `${path}:${line}:${column}`;
}

/** A problem in one line. */
export function problemText({ place, sentence }: Problem): string {
  return `${placeText(place)}: ${sentence}`;
}

/** A value: a text, a mapping, a list, or nothing. */
export interface Value {
  place: Place;
  kind: 'text' | 'mapping' | 'list' | 'nothing';
  /** As it was written, without quotes; empty unless it is a text. */
  text: string;
  /** Empty unless it is a mapping. */
  entries: readonly Entry[];
  /** Empty unless it is a list. */
  items: readonly Value[];
}

/** A name in a mapping, and its value. */
export interface Entry {
  name: string;
  place: Place;
  value: Value;
}

/** A section, a definition, a field, and what is in it: nothing is nested deeper. */
const deepest = 4;
/** More than any file that a person keeps. Values repeated by aliases count too. */
const mostValues = 200_000;

/** Problems of YAML that are listed: one broken line can break all lines below it. */
const mostProblems = 20;

/** Parses a file. The value is null if there are problems. */
export function parseFile(
  path: string,
  text: string,
): { value: Value | null; problems: Problem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { path, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const all = [...document.errors, ...document.warnings];
  // What else there is follows from it: one problem for each bracket, say. So it is with the first one of a line.
  const deep = all.find(isTooDeep);
  const byLine = new Map(all.toReversed().map((one) => [placeAt(one.pos[0]).line, one]));
  const broken = deep === undefined ? [...byLine.values()].toReversed() : [deep];
  const problems = broken.slice(0, mostProblems).map((one) => {
    return { place: placeAt(one.pos[0]), sentence: sentenceOf(one, text) };
  });
  const more = `and ${broken.length - mostProblems} more problems of YAML`;
  const next = broken[mostProblems];
  if (next !== undefined) problems.push({ place: placeAt(next.pos[0]), sentence: more });
  if (problems.length > 0) return { value: null, problems };
  const reader = createReader(document, placeAt);
  const value = reader.valueOf(document.contents, placeAt(0), 0);
  return { value: reader.problems.length > 0 ? null : value, problems: reader.problems };
}

const isTooDeep = ({ message }: Error): boolean => message.startsWith('Maximum call stack');

/** What is wrong. A plain value that begins with a sign of YAML needs quotes; one that may be secret is not repeated. */
function sentenceOf(error: YAMLError, text: string): string {
  if (isTooDeep(error)) return 'it is nested too deeply';
  if (error.code === 'MULTIPLE_DOCS') return 'a file holds one document, take out the lines of ---';
  const start = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const [line = ''] = text.slice(start, start + 200).split(/ #|\r?\n/, 1);
  const [, name = '', value] = /^ *(?:- +)?(-|[\w.-]+:) +([*@&%`].*)/.exec(line) ?? [];
  if (value === undefined) return `not valid YAML: ${error.message.split('\n', 1)[0]}`;
  const shown = name === 'cron:' ? value.trim().replaceAll("'", "''") : `${value[0]}…`;
  return `not valid YAML: put the value in quotes: ${name} '${shown}'`;
}

function createReader(document: Document, placeAt: (offset: number) => Place) {
  const problems: Problem[] = [];
  let left = mostValues;
  const anchored = anchorsOf(document);

  const entryOf = ({ key, value }: Pair, fallback: Place, depth: number): Entry | null => {
    const place = isScalar(key) && key.range ? placeAt(key.range[0]) : fallback;
    if (isScalar(key)) {
      const name = textOf(key) ?? '';
      return { name, place, value: valueOf(value as Node | null, place, depth + 1) };
    }
    problems.push({ place, sentence: 'a name must be a text' });
    return null;
  };

  const valueOf = (node: Node | null, fallback: Place, depth: number): Value => {
    const place = node?.range ? placeAt(node.range[0]) : fallback;
    const nothing: Value = { place, kind: 'nothing', text: '', entries: [], items: [] };
    left -= 1;
    if (left === 0) problems.push({ place, sentence: `more than ${mostValues} values` });
    if (left <= 0 || depth > deepest) return nothing;
    const tag = node?.tag?.replace('tag:yaml.org,2002:', '!!');
    if (tag !== undefined && !['!!str', '!!map', '!!seq'].includes(tag)) {
      problems.push({ place, sentence: `the tag ${tag.slice(0, 60)} means nothing here` });
    }
    if (isAlias(node)) {
      const found = anchored(node);
      return found ? { ...valueOf(found, place, depth), place } : nothing;
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => valueOf(item as Node | null, place, depth + 1));
      return { ...nothing, kind: 'list', items };
    }
    if (isMap(node)) {
      const entries = node.items.map((pair) => entryOf(pair, place, depth));
      return { ...nothing, kind: 'mapping', entries: entries.filter((entry) => entry !== null) };
    }
    const text = isScalar(node) ? textOf(node) : null;
    return text === null ? nothing : { ...nothing, kind: 'text', text };
  };

  return { problems, valueOf };
}

/**
 * Resolves an alias: the last value before it with that anchor. The library would search the whole document each time. Values
 * are visited in the order of the text, so one pass knows them all.
 */
function anchorsOf(document: Document): (alias: Alias) => Node | undefined {
  const last = new Map<string, Node>();
  const meant = new Map<Alias, Node>();
  visit(document, {
    Value(_, node) {
      if (node.anchor !== undefined) last.set(node.anchor, node);
    },
    Alias(_, alias) {
      const node = last.get(alias.source);
      if (node !== undefined) meant.set(alias, node);
    },
  });
  return (alias) => meant.get(alias);
}

/** Numbers and booleans as they were written; null for null. */
function textOf({ value, source }: Scalar): string | null {
  if (typeof value === 'string') return value;
  return value === null ? null : (source ?? '');
}
