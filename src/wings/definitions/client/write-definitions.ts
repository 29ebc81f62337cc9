/** Writes definitions as YAML. The same jobs, monitors and channels always give the same text. */

import { Scalar, stringify } from 'yaml';
import { escapeUnit } from '../../../domain/characters.ts';
import type { FileKind, Fields, Input, Writing } from './kind.ts';

/** The fields of a definition, in order. A field that has its default is left out. */
export function fieldsOf(
  kind: FileKind,
  key: string,
  whole: Input,
  { adopt, ...writing }: Writing & { adopt?: string },
): Fields {
  return inOrder(kind, { adopt, ...kind.values(key, whole, writing) });
}

/** The fields in the order of their table, without those that are undefined. */
export function inOrder({ fields }: FileKind, values: Fields): Fields {
  return Object.fromEntries(
    Object.keys(fields)
      .map((name) => [name, values[name]])
      .filter(([, value]) => value !== undefined),
  );
}

/** Characters that YAML would write as they are, although terminals and editors interpret them. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unseen = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** YAML of a value. */
export function yamlOf(value: unknown): string {
  const text = stringify(visible(value), {
    lineWidth: 0,
    schema: 'core',
    version: '1.2',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  return text.replaceAll(unseen, escapeUnit);
}

/** Lines that begin and end with a visible character: a YAML block shows them unchanged. */
const plainLines = /^\S.*\S\n?$/s;

/** Puts texts with invisible characters into quotes, where they can be escaped. */
function visible(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value === 'object' && value !== null) {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return new Map(entries.map(([name, inner]) => [name, visible(inner)]));
  }
  if (typeof value !== 'string') return value;
  const isBlock = !value.includes('\n') || plainLines.test(value);
  if (isBlock && value.search(unseen) === -1) return value;
  const scalar = new Scalar(value);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
