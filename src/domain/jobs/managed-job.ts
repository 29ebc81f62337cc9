/**
 * Managed jobs: a definition elsewhere, in a file of a repository, says what a job is, and a key of its own
 * says which job that is. Jobs made by hand have no key, and nothing here touches them.
 */

import type { JobFields, JobInput, JobUpdate } from './job-input.ts';
import { invalidInput } from '../errors.ts';
import { sameSchedule } from './job.ts';
import type { Job } from './job.ts';
import { readSchedule } from '../schedule/schedule-input.ts';

/** What a key may look like: a name in a file, fit for a URL and for a branch. */
export const jobKeyPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;
export const jobKeyRule =
  '1 to 63 lower-case letters, digits, dots, hyphens and underscores, beginning with a letter or digit';

/** Definitions in one request, at most. */
export const longestBatch = 100;

/** What becomes of a definition; `none` where the job is as it says. */
export const jobChanges = ['create', 'update', 'delete', 'none'] as const;
export type JobChange = (typeof jobChanges)[number];

/** What of a job a definition decides; the fields of a schedule count as one. */
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

/** Demands that a key is one. Throws `invalid_input`. */
export function checkJobKey(key: string): void {
  if (jobKeyPattern.test(key)) return;
  const shown = JSON.stringify(key.length > 70 ? `${key.slice(0, 70)}…` : key);
  throw invalidInput(`key must be ${jobKeyRule}, got ${shown}`);
}

/**
 * The change that makes any job what a definition says: what it leaves out has its default, as at a creation.
 * `timeoutSeconds` is the default of the plan. Throws `invalid_input` if the schedule breaks a rule.
 */
export function replacementOf(
  { paused = false, ...input }: JobInput,
  { timeoutSeconds }: Pick<JobFields, 'timeoutSeconds'>,
): JobUpdate {
  return {
    method: 'GET',
    headers: {},
    body: null,
    timeoutSeconds,
    retries: 0,
    notes: '',
    ...input,
    // By itself: a schedule that the job had before adds nothing to it.
    ...readSchedule(input),
    action: paused ? 'pause' : 'resume',
  };
}

/** The fields in which two jobs differ, in the order above. What a schedule does not use makes no difference. */
export function changedFields(before: Job, after: Job): DefinedField[] {
  const same: Record<DefinedField, boolean> = {
    name: before.name === after.name,
    url: before.url === after.url,
    method: before.method === after.method,
    headers: changedHeaders(before, after).length === 0,
    body: before.body === after.body,
    schedule: sameSchedule(before, after),
    timeoutSeconds: before.timeoutSeconds === after.timeoutSeconds,
    retries: before.retries === after.retries,
    notes: before.notes === after.notes,
    paused: before.paused === after.paused,
  };
  return definedFields.filter((field) => !same[field]);
}

/**
 * The names of the headers that only one of two jobs has, or whose values differ, in order. The order of headers
 * means nothing; the letter case of their names is sent as it is, so it does.
 */
export function changedHeaders(
  before: Pick<Job, 'headers'>,
  after: Pick<Job, 'headers'>,
): string[] {
  const names = new Set([before, after].flatMap(({ headers }) => Object.keys(headers)));
  return [...names].filter((name) => valueIn(before, name) !== valueIn(after, name)).toSorted();
}

/** A header may have the name of what every object has. */
function valueIn({ headers }: Pick<Job, 'headers'>, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}
