/** Jobs in files. */

import { checkHeaders, maxHeaders } from '../../domain/jobs/headers.ts';
import { checkJobFields, defineJob } from '../../domain/jobs/job-input.ts';
import type { JobInput } from '../../domain/jobs/job-input.ts';
import { jobDefaults, jobRules, methods } from '../../domain/jobs/job.ts';
import type { EditableFields } from '../../domain/jobs/job.ts';
import { changedFields, changedHeaders, definedJob } from '../../domain/jobs/managed-job.ts';
import { checkSchedule } from '../../domain/schedule/schedule-input.ts';
import { everywhere } from '../../domain/targets/target.ts';
import {
  adopt,
  duration,
  filledIn,
  scheduleFields,
  text,
  trueOrFalse,
  wholeNumber,
  withVariables,
  word,
} from './fields.ts';
import { unless } from './kind.ts';
import type { FileKind, Input } from './kind.ts';
import { scheduleValues } from './monitor-kind.ts';
import { literal, literalVariables } from './references.ts';

/** A job is checked with this where there is no server: only the server knows which targets are allowed. */
const nowhere = { id: '', workspaceId: '', now: 0, allowTargets: everywhere };

/** Checks the input of a job as far as that is possible without the server. Throws `invalid_input`. */
export function checkJob(input: JobInput): void {
  defineJob(input, nowhere);
}

/** A job as the API takes and shows it; its headers are those to write. */
type WrittenJob = EditableFields;

export const jobKind: FileKind = {
  section: 'jobs',
  noun: 'job',
  fields: {
    adopt: adopt('job'),
    name: {
      api: 'name',
      about: 'The name of the job. Default: the key.',
      form: text(jobRules.name),
    },
    url: {
      api: 'url',
      about: 'The http or https URL to call. ${NAME} is a variable of the environment.',
      form: withVariables,
    },
    method: { api: 'method', about: 'The HTTP method. Default: GET.', form: word(methods) },
    headers: {
      api: 'headers',
      about: 'Request headers. ${NAME} is a variable, file:PATH the content of a file.',
      form: {
        kind: 'mapping',
        most: maxHeaders,
        schema: { additionalProperties: { type: ['string', 'number', 'boolean'] } },
        check: (name, value) => void checkHeaders({ [name]: value }),
      },
    },
    body: {
      api: 'body',
      about: 'The request body. ${NAME} is a variable, file:PATH the content of a file.',
      form: filledIn,
    },
    ...scheduleFields,
    timeout: {
      api: 'timeoutSeconds',
      about: 'The longest time for an attempt, such as 20s.',
      form: duration('timeout'),
    },
    retries: {
      api: 'retries',
      about: 'How often a failed call is retried. Default: 0.',
      form: wholeNumber(jobRules.retries),
    },
    paused: { api: 'paused', about: 'Whether the schedule is paused.', form: trueOrFalse },
    notes: { api: 'notes', about: 'Free text.', form: text(jobRules.notes) },
  },
  required: ['url'],
  exclusive: [
    ['every', 'cron'],
    ['every', 'timezone'],
  ],
  hidden: 'headers',
  checkField(field) {
    checkJobFields(field, everywhere);
    checkSchedule(field);
  },
  check: (input) => checkJob(jobInput(input)),
  whole: (input, { defaultTimeoutSeconds }) => ({
    ...definedJob(jobInput(input), defaultTimeoutSeconds),
  }),
  values(key, whole, { defaultTimeoutSeconds }) {
    const job = whole as unknown as WrittenJob;
    const { method, timeoutSeconds, retries, paused, notes } = job;
    const names = Object.keys(job.headers).toSorted();
    return {
      name: unless(job.name, key),
      url: literalVariables(job.url),
      method: unless(method, jobDefaults.method),
      headers:
        names.length > 0 ? new Map(names.map((name) => [name, job.headers[name]])) : undefined,
      body: job.body === null ? undefined : literal(job.body),
      ...scheduleValues(job),
      timeout: unless(`${timeoutSeconds}s`, `${defaultTimeoutSeconds}s`),
      retries: unless(retries, jobDefaults.retries),
      paused: unless(paused, jobDefaults.paused),
      notes: unless(notes, jobDefaults.notes),
    };
  },
  compare({ document, hiddenNames }, input, { defaultTimeoutSeconds }) {
    const job = document as unknown as EditableFields;
    const before = { ...job, headers: withoutValues(hiddenNames) };
    const defined = definedJob(jobInput(input), defaultTimeoutSeconds);
    const after = { ...defined, headers: withoutValues(Object.keys(defined.headers)) };
    return {
      changedFields: changedFields(before, after),
      changedHidden: changedHeaders(before, after),
    };
  },
  conceal: (fields) => ({
    ...fields,
    url: String(fields['url']).replace(/\?.*$/, '?(secret)'),
    ...(fields['body'] !== undefined && { body: '(secret)' }),
  }),
};

function jobInput(input: Input): JobInput {
  return input as unknown as JobInput;
}

function withoutValues(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
