/** Writes definitions as YAML. The same jobs always give the same text. */

import { Scalar, stringify } from 'yaml';
import { durationOf } from '../options.ts';
import { escapeUnit } from '../../domain/characters.ts';
import { jobDefaults } from '../../domain/jobs/job.ts';
import type { EditableFields } from '../../domain/jobs/job.ts';
import { fieldNames } from './definition.ts';
import type { FieldName } from './definition.ts';
import { literal, literalVariables } from './references.ts';

/** How a job is shown. */
export interface ShownAs {
  /** The account's default, where a definition has no timeout. */
  defaultTimeoutSeconds: number;
  /** The id of a job made by hand. */
  adopt?: string;
}

/** A definition as it is written in a file. */
export type Fields = Partial<Record<FieldName, unknown>>;

/** The fields of a definition, in order. A field that has its default is left out. */
export function fieldsOf(
  key: string,
  job: EditableFields,
  { defaultTimeoutSeconds, adopt }: ShownAs,
): Fields {
  const { method, headers, body, timeoutSeconds, retries, paused, notes } = job;
  const isPeriod = job.scheduleType === 'period';
  const names = Object.keys(headers).toSorted();
  const fields: Required<Fields> = {
    adopt,
    name: unless(job.name, key),
    url: job.url,
    method: unless(method, jobDefaults.method),
    headers: names.length > 0 ? new Map(names.map((name) => [name, headers[name]])) : undefined,
    body: unless(body, jobDefaults.body),
    cron: isPeriod ? undefined : (job.cronExpr ?? undefined),
    timezone: isPeriod ? undefined : job.timezone,
    every: isPeriod ? durationOf(job.periodSeconds ?? 0) : undefined,
    timeout: unless(`${timeoutSeconds}s`, `${defaultTimeoutSeconds}s`),
    retries: unless(retries, jobDefaults.retries),
    paused: unless(paused, jobDefaults.paused),
    notes: unless(notes, jobDefaults.notes),
  };
  return Object.fromEntries(
    fieldNames.map((name) => [name, fields[name]]).filter(([, value]) => value !== undefined),
  );
}

function unless<T>(value: T, usual: T): T | undefined {
  return value === usual ? undefined : value;
}

/** The job with every `$` and `file:` escaped, so that it is read back unchanged. Header values stay as they are. */
export function literalOf<Job extends Pick<EditableFields, 'url' | 'body'>>(job: Job): Job {
  const { url, body } = job;
  return { ...job, url: literalVariables(url), body: body === null ? null : literal(body) };
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
