/**
 * What the definitions of jobs, monitors and channels have in common. A definition elsewhere, usually in a file of a
 * repository, says what one of them is, and a key says which one is meant. Those made by hand have no key and are never
 * touched by definitions.
 */

import { got, invalidInput } from './errors.ts';
import type { Fields } from './fields.ts';
import { scheduleFields } from './schedule/fields.ts';
import { sameDefinition, type ScheduleSettings } from './schedule/schedule.ts';

/** A key is a name in a file, fit for a URL and for a branch. */
export const keyPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;
export const keyRule =
  '1 to 63 lower-case letters, digits, dots, hyphens and underscores, beginning with a letter or digit';

export const definedKinds = ['job', 'monitor', 'channel'] as const;
export type DefinedKind = (typeof definedKinds)[number];

/** Most definitions in one request: as many as the largest plan allows jobs. */
export const mostDefinitions = 1_000;

/** What applying does to a thing; `adopt` only gives a key to one made by hand. */
export const planActions = [
  'create',
  'update',
  'adopt',
  'delete',
  'unchanged',
  'over',
  'refused',
] as const;
export type PlanAction = (typeof planActions)[number];

/** Which ones a list of definitions has: those with a key, or all. */
export const shownInLists = ['managed', 'all'] as const;

/** Checks that a key is one. Throws `invalid_input`. */
export function checkKey(key: string): void {
  if (!keyPattern.test(key)) throw invalidInput(`key must be ${keyRule}, ${got(key)}`);
}

/** What differences name of a table of fields: those of a schedule count as one. */
export type DefinedField<Of extends Fields> =
  | Exclude<keyof Of & string, keyof typeof scheduleFields>
  | ('scheduleType' extends keyof Of ? 'schedule' : never);

/** The names of the fields that definitions decide, in their order. */
export function definedFields<Of extends Fields>(fields: Of): DefinedField<Of>[] {
  const names = Object.keys(fields).map((name) =>
    Object.hasOwn(scheduleFields, name) ? 'schedule' : name,
  );
  return [...new Set(names)] as DefinedField<Of>[];
}

/**
 * The fields in which two of a subject differ, in their order. What a schedule does not use makes no difference, and neither
 * does the order of what is in a list or a mapping.
 */
export function changedFields<Of extends Fields>(
  fields: Of,
  before: object,
  after: object,
): DefinedField<Of>[] {
  return definedFields(fields).filter((name) =>
    name === 'schedule'
      ? !sameDefinition(before as ScheduleSettings, after as ScheduleSettings)
      : comparable(before, name) !== comparable(after, name),
  );
}

function comparable(values: object, name: string): string {
  return ordered((values as Record<string, unknown>)[name]);
}

function ordered(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(ordered).toSorted());
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  return ordered(Object.entries(value).map(([name, inner]) => `${name}=${ordered(inner)}`));
}

/** The fields that have another value than that of `defaults`. */
export function withoutDefaults(
  fields: object,
  defaults: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(fields);
  const isOwn = (name: string, value: unknown): boolean =>
    JSON.stringify(value) !== JSON.stringify(defaults[name]);
  return Object.fromEntries(entries.filter(([name, value]) => isOwn(name, value)));
}

/** The names whose texts differ between two mappings, or that only one of them has, sorted. */
export function changedNames(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([before, after].flatMap((texts) => Object.keys(texts)));
  return [...names].filter((name) => textIn(before, name) !== textIn(after, name)).toSorted();
}

/** A name may be one of a property that every object has. */
function textIn(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
