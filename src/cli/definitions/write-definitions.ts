/** Definitions as people keep them in a file. The same jobs are always the same text. */

import { Scalar, stringify } from 'yaml';
import { durationOf } from '../options.ts';
import { escapeUnit } from '../../domain/characters.ts';
import { fieldNames } from './definition.ts';
import type { FieldName } from './definition.ts';
import { literal, literalVariables } from './references.ts';

/** A job as a file shows it: the values of headers, and what stands elsewhere, are references or words. */
export interface ShownJob {
  name: string;
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  scheduleType: 'cron' | 'period';
  cronExpr: string | null;
  timezone: string;
  periodSeconds: number | null;
  timeoutSeconds: number;
  retries: number;
  notes: string;
  paused: boolean;
}

/** What else decides about how it is shown. */
export interface ShownAs {
  /** What holds on this account where a definition has no timeout. */
  defaultTimeoutSeconds: number;
  /** The id of a job made by hand. */
  adopt?: string;
}

/** A definition as it stands in a file. */
export type Fields = Partial<Record<FieldName, unknown>>;

/** The fields of a definition: what has its default is left out. */
export function fieldsOf(
  key: string,
  job: ShownJob,
  { defaultTimeoutSeconds, adopt }: ShownAs,
): Fields {
  const isPeriod = job.scheduleType === 'period';
  const names = Object.keys(job.headers).toSorted();
  const fields: Fields = {
    adopt,
    name: job.name === key ? undefined : job.name,
    url: job.url,
    method: job.method === 'GET' ? undefined : job.method,
    headers:
      names.length === 0
        ? undefined
        : Object.fromEntries(names.map((name) => [name, job.headers[name] ?? ''])),
    body: job.body ?? undefined,
    cron: isPeriod ? undefined : (job.cronExpr ?? undefined),
    timezone: isPeriod ? undefined : job.timezone,
    every: isPeriod ? durationOf(job.periodSeconds ?? 0) : undefined,
    timeout: job.timeoutSeconds === defaultTimeoutSeconds ? undefined : `${job.timeoutSeconds}s`,
    retries: job.retries === 0 ? undefined : job.retries,
    paused: job.paused ? true : undefined,
    notes: job.notes === '' ? undefined : job.notes,
  };
  return Object.fromEntries(
    fieldNames.map((name) => [name, fields[name]]).filter(([, value]) => value !== undefined),
  );
}

/** The same with every value as it has to be written to mean itself; header values stay as they are. */
export function literalOf<Job extends Pick<ShownJob, 'url' | 'body'>>(job: Job): Job {
  const { url, body } = job;
  return { ...job, url: literalVariables(url), body: body === null ? null : literal(body) };
}

/** Texts that YAML would show as they are, though terminals and editors do something with them. */
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

/** Several lines that begin and end with something to be seen: what a block shows as it is. */
const plainLines = /^\S.*\S\n?$/s;

/** Texts with something unseen go into quotes, where it can be written as an escape. */
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
