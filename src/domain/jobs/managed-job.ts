/**
 * Managed jobs: a definition elsewhere, usually in a file of a repository, says what a job is, and a key says which job
 * is meant. Jobs made by hand have no key and are never touched by definitions.
 */

import { got, invalidInput } from '../errors.ts';
import { sameSchedule } from '../schedule/schedule.ts';
import { readSchedule } from '../schedule/schedule-input.ts';
import { jobDefaults } from './job.ts';
import type { EditableFields } from './job.ts';
import type { JobInput } from './job-input.ts';

/** A key is a name in a file, fit for a URL and for a branch. */
export const jobKeyPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;
export const jobKeyRule =
  '1 to 63 lower-case letters, digits, dots, hyphens and underscores, beginning with a letter or digit';

/** Most definitions in one request. */
export const longestBatch = 100;

/** What happens to the job of a definition; `none` if it is as defined. */
export const jobChanges = ['create', 'update', 'delete', 'none'] as const;
export type JobChange = (typeof jobChanges)[number];

/** The fields of a job that a definition decides; those of the schedule count as one. */
export const definedFields = [
  'name',
  'url',
  'method',
  'headers',
  'body',
  'schedule',
  'timeoutSeconds',
  'retries',
  'notes',
  'paused',
] as const;
export type DefinedField = (typeof definedFields)[number];

/** Checks that a key is one. Throws `invalid_input`. */
export function checkJobKey(key: string): void {
  if (!jobKeyPattern.test(key)) throw invalidInput(`key must be ${jobKeyRule}, ${got(key)}`);
}

/**
 * The job that a definition stands for: a field that it leaves out has its default. `timeoutSeconds` is the default of
 * the plan. Throws `invalid_input` if the schedule breaks a rule; other fields are not checked.
 */
export function definedJob(input: JobInput, timeoutSeconds: number): EditableFields {
  return { ...jobDefaults, timeoutSeconds, ...input, ...readSchedule(input) };
}

/** The fields in which two jobs differ, in the order above. A field that the schedule does not use makes no difference. */
export function changedFields(before: EditableFields, after: EditableFields): DefinedField[] {
  return definedFields.filter((field) => {
    if (field === 'schedule') return !sameSchedule(before, after);
    if (field === 'headers') return changedHeaders(before, after).length > 0;
    return before[field] !== after[field];
  });
}

type WithHeaders = Pick<EditableFields, 'headers'>;

/**
 * The names of the headers that only one of two jobs has, or whose values differ, sorted. Their order means nothing;
 * the letter case of a name counts, because it is sent as it is.
 */
export function changedHeaders(before: WithHeaders, after: WithHeaders): string[] {
  const names = new Set([before, after].flatMap(({ headers }) => Object.keys(headers)));
  return [...names].filter((name) => valueIn(before, name) !== valueIn(after, name)).toSorted();
}

/** A header may be called like a property that every object has. */
function valueIn({ headers }: WithHeaders, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}
