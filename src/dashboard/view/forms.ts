/** What forms have in common: what of them is sent, and errors of the API in their words. The API's sentences begin with the name of the field. */

import { channelFields } from '../../domain/alerts/fields.ts';
import { fieldWord } from '../../domain/field-words.ts';
import { brokenRule, type Fields } from '../../domain/fields.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import type { Kind } from './places.ts';

/** An error, and the field beside which it is shown; null shows it above the form. */
export interface FieldError {
  field: string | null;
  error: string;
}

/** What a form calls fields, by their names in the API. */
export type Labels = Readonly<Record<string, string>>;

export const tables: Readonly<Record<Kind, Fields>> = {
  channel: channelFields,
  monitor: monitorFields,
  job: jobFields,
};

/** What all forms call the fields of jobs, monitors and channels. */
export const fieldLabels: Labels = Object.fromEntries(
  Object.values(tables).flatMap((fields) =>
    Object.entries(fields).map(([name, { label }]) => [name, label]),
  ),
);

/** What is wrong with fields by themselves, each in a sentence of the API, which says the first one only. */
export function brokenFields(kind: Kind, input: object): string[] {
  return Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    const rule = tables[kind][name]?.rule;
    if (rule === undefined || value === null) return [];
    const isNumber = rule.type !== 'integer' || Number.isInteger(value);
    const problem = isNumber
      ? brokenRule(rule, value)
      : `must be an integer, got ${JSON.stringify(value)}`;
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
}

/**
 * Finds the field that a sentence of the API is about, and says the sentence with its label: `periodSeconds must be …`
 * becomes `Period must be …`. `empty` has the names of fields that must be filled in and are not, `more` labels of fields
 * that only this form has.
 */
export function fieldError(
  error: string,
  empty: readonly string[] = [],
  more: Labels = {},
): FieldError {
  const [, field = '', rest = ''] = /^(?:config\.)?([A-Za-z]+)(?=[ :.])(.*)$/s.exec(error) ?? [];
  const label = new Map(Object.entries({ ...fieldLabels, ...more })).get(field);
  if (label === undefined) return { field: null, error };
  if (empty.includes(field)) return { field, error: `${label} must not be empty` };
  // Fields of a part are named with it: `headers.X-Tenant must be …`.
  const part = rest.replace(/^\./, ': ');
  return { field, error: label + inWords(part, unitOf(field)) };
}

/** The rest of a sentence without types of JSON, and with the unit of its numbers. */
function inWords(rest: string, unit: string | null): string {
  return rest
    .replace(
      / an integer(?: or null)?/,
      unit === null ? ' a whole number' : ` a whole number of ${unit}`,
    )
    .replace(/between \d+ and \d+/, (found) => (unit === null ? found : `${found} ${unit}`));
}

/** The unit that the API has in the name of a field. */
function unitOf(field: string): string | null {
  return field.endsWith('Seconds') ? 'seconds' : null;
}

/** The names of the fields in which nothing was typed, in their order. */
export function emptyOf(typed: Readonly<Record<string, string>>): string[] {
  return Object.keys(typed).filter((name) => typed[name]?.trim() === '');
}

/** The fields of one input that another has not, or has otherwise: what an update sends. */
export function differing(input: object, before: object): Record<string, unknown> {
  const old = new Map(Object.entries(before));
  return Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)),
    ),
  );
}

/** The names of the fields in which two inputs differ. */
export function differences(one: object, other: object): string[] {
  return Object.keys({ ...differing(one, other), ...differing(other, one) });
}

/** What a number may be: `0 to 2`. */
export function range({ minimum, maximum }: { minimum: number; maximum: number }): string {
  return `${minimum} to ${maximum}`;
}

/** Names of fields in words, each once: `name, URL and schedule`. */
export function fieldWords(fields: readonly string[]): string {
  const all = [...new Set(fields.map(fieldWord))];
  const last = all.pop() ?? '';
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}
