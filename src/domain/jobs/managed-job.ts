/** What the definition of a job stands for. */

import { changedNames } from '../definition.ts';
import { readSchedule } from '../schedule/schedule-input.ts';
import { definedAfter, readAfter, type AfterDefinition } from './after.ts';
import { jobDefaults, type EditableFields } from './job.ts';
import type { JobInput } from './job-input.ts';

export interface JobDefinition extends Omit<JobInput, 'after'>, AfterDefinition {}

/** The input of a definition, whose key stands for the id of the job that it names. Throws as `definedAfter` does. */
export function definedInput({ after, afterOn, ...input }: JobDefinition): JobInput {
  return {
    ...input,
    after: definedAfter({ after: after ?? null, ...(afterOn !== undefined && { afterOn }) }),
  };
}

/**
 * The job that a definition stands for: a field that it leaves out has its default. `timeoutSeconds` is the default of
 * the plan. Throws `invalid_input` if the schedule breaks a rule; other fields are not checked.
 */
export function definedJob(input: JobInput, timeoutSeconds: number): EditableFields {
  const { after = null, onResultSecret: _, ...fields } = input;
  const schedule = readSchedule(input);
  return { ...jobDefaults, timeoutSeconds, ...fields, ...schedule, after: readAfter(after, '') };
}

type WithHeaders = Pick<EditableFields, 'headers'>;

/**
 * The names of the headers that only one of two jobs has, or whose values differ, sorted. Their order means nothing;
 * the letter case of a name counts, because it is sent as it is.
 */
export function changedHeaders(before: WithHeaders, after: WithHeaders): string[] {
  return changedNames(before.headers, after.headers);
}
