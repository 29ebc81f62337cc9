/**
 * Comparing without the server, for keys that may only read: by the same rule, but without the values of headers,
 * which nobody is shown.
 */

import type * as contract from '../../api/jobs/contract.ts';
import type { DefinitionResult } from '../../api/jobs/contract.ts';
import { changeJob, defineJob } from '../../domain/jobs/job-input.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { changedFields, changedHeaders, replacementOf } from '../../domain/jobs/managed-job.ts';
import { nowhere } from './definition.ts';
import type { Definition } from './definition.ts';

/** What a definition would change of a job as the API shows it. */
export function compare(
  { key, job: input, adopt }: Definition,
  job: contract.Job | undefined,
  { defaultTimeoutSeconds, isManaged }: { defaultTimeoutSeconds: number; isManaged: boolean },
): DefinitionResult {
  const none = { key, changedFields: [], changedHeaders: [], isAdopted: false, refusal: null };
  if (job === undefined) return { ...none, change: 'create', job: null };
  const before = jobOf(job);
  const after = definedJob(input, defaultTimeoutSeconds);
  const blank = { ...after, headers: withoutValues(Object.keys(after.headers)) };
  const fields = changedFields(before, blank);
  return {
    ...none,
    change: fields.length > 0 ? 'update' : 'none',
    changedFields: fields,
    changedHeaders: changedHeaders(before, blank),
    isAdopted: !isManaged && adopt !== undefined,
    job,
  };
}

/** The job that a definition stands for. */
export function definedJob(input: Definition['job'], timeoutSeconds: number): Job {
  const job = defineJob({ name: input.name, url: input.url }, nowhere);
  return changeJob(job, replacementOf(input, { timeoutSeconds }), nowhere);
}

function jobOf(job: contract.Job): Job {
  const { headerNames, ...fields } = job;
  const unseen = definedJob({ name: job.name, url: job.url }, job.timeoutSeconds);
  const { name, url, method, body, scheduleType, cronExpr, timezone, periodSeconds } = fields;
  const { timeoutSeconds, retries, notes, paused } = fields;
  const headers = withoutValues(headerNames);
  const schedule = { scheduleType, cronExpr, timezone, periodSeconds };
  return {
    ...unseen,
    name,
    url,
    method,
    headers,
    body,
    ...schedule,
    timeoutSeconds,
    retries,
    notes,
    paused,
  };
}

function withoutValues(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
