/** What the definition of a job stands for. */

import { changedNames } from '../definition.ts';
import { invalidInput } from '../errors.ts';
import { defaultSchedule, type ScheduleSettings } from '../schedule/schedule.ts';
import { readSchedule } from '../schedule/schedule-input.ts';
import { definedAfter, readAfter, type AfterDefinition } from './after.ts';
import { hasIdleSchedule, jobDefaults, type EditableFields } from './job.ts';
import type { JobInput } from './job-input.ts';

export interface JobDefinition extends Omit<JobInput, 'after'>, AfterDefinition {}

/**
 * The input of a definition, whose key stands for the id of the job that it names. Throws as `definedAfter` does, and
 * `invalid_input` for a schedule that would not count: its author believes that it does.
 */
export function definedInput({ after = null, afterOn, ...input }: JobDefinition): JobInput {
  const given = { ...input, after };
  const names = ['runAt', 'after', 'periodSeconds', 'cronExpr'] as const;
  const [one, other] = names.filter((name) => (given[name] ?? null) !== null);
  if (other !== undefined && hasIdleSchedule(given)) {
    throw invalidInput(`use either ${one} or ${other}, not both`);
  }
  return { ...input, after: definedAfter({ after, ...(afterOn !== undefined && { afterOn }) }) };
}

/**
 * The job that a definition stands for: a field that it leaves out has its default, but a schedule that does not count is the
 * one that is kept. `timeoutSeconds` is the default of the plan. Throws `invalid_input` if the schedule breaks a rule;
 * other fields are not checked.
 */
export function definedJob(
  input: JobInput,
  timeoutSeconds: number,
  kept: ScheduleSettings = defaultSchedule,
): EditableFields {
  const { after = null, onResultSecret: _, ...fields } = input;
  const { timezone } = defaultSchedule;
  const schedule = readSchedule(input, hasIdleSchedule(input) ? { ...kept, timezone } : undefined);
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
