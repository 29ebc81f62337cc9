/** Jobs in files. */

import { checkHeaders, maxHeaders } from '../../../domain/jobs/headers.ts';
import { afterOnWords } from '../../../domain/jobs/after-words.ts';
import { checkJobFields, defineJob } from '../../../domain/jobs/job-input.ts';
import type { JobInput } from '../../../domain/jobs/job-input.ts';
import { jobDefaults, jobRules, leavesOrigin, methods } from '../../../domain/jobs/job.ts';
import type { EditableFields } from '../../../domain/jobs/job.ts';
import {
  changedFields,
  changedHeaders,
  definedInput,
  definedJob,
} from '../../../domain/jobs/managed-job.ts';
import type { JobDefinition } from '../../../domain/jobs/managed-job.ts';
import { signKinds } from '../../../domain/jobs/sign.ts';
import { sameDefinition } from '../../../domain/schedule/schedule.ts';
import { checkSchedule, readSchedule } from '../../../domain/schedule/schedule-input.ts';
import { everywhere } from '../../../domain/targets/target.ts';
import { durationOf } from '../../../settings/setting.ts';
import {
  adopt,
  duration,
  filledIn,
  reference,
  scheduleFields,
  text,
  trueOrFalse,
  wholeNumber,
  withVariables,
  word,
} from './fields.ts';
import { unless } from './kind.ts';
import type { FileKind, Input, ManagedItem } from './kind.ts';
import { scheduleValues } from './monitor-kind.ts';
import { literal, literalVariables } from './references.ts';

/** A job is checked with this where there is no server: only the server knows which targets are allowed. */
const nowhere = { id: '', workspaceId: '', now: 0, allowTargets: everywhere };

/** Checks the input of a job as far as that is possible without the server. Throws `invalid_input`. */
export function checkJob(input: JobInput): void {
  defineJob(input, nowhere);
}

/** A job as the API takes and shows it; its headers are those to write, and `after` names a key. */
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
    await: {
      api: 'awaitSeconds',
      about: 'How long the target may take to report after an answer of 202, such as 2h.',
      form: duration('await'),
    },
    after: {
      api: 'after',
      about: 'The job that it runs after, instead of on its schedule: its key, its name or its id.',
      form: reference('job', jobRules.name),
    },
    'after-on': {
      api: 'afterOn',
      about: 'Which end of that job starts it: success, failed or finished. Default: success.',
      form: word(afterOnWords),
    },
    'on-result': {
      api: 'onResult',
      about: 'A URL that gets each finished run. ${NAME} is a variable of the environment.',
      form: withVariables,
    },
    'on-result-secret': {
      api: 'onResultSecret',
      about: 'The secret that signs it: ${NAME} is a variable, file:PATH the content of a file.',
      form: filledIn,
    },
    paused: { api: 'paused', about: 'Whether the schedule is paused.', form: trueOrFalse },
    notes: { api: 'notes', about: 'Free text.', form: text(jobRules.notes) },
    sign: {
      api: 'sign',
      about: 'How calls prove who makes them: by a signature or by a token. Default: they do not.',
      form: word(signKinds),
    },
    audience: {
      api: 'audience',
      about: 'Who the token is for, such as the URL of the target. Only with a token.',
      form: text(jobRules.audience),
    },
  },
  required: ['url'],
  exclusive: [['every', 'cron']],
  hidden: 'headers',
  keeps: ({ document }, name) => name === 'on-result-secret' && document['onResult'] !== null,
  checkField(field) {
    if ('after' in field) return;
    checkJobFields(field, everywhere);
    checkSchedule(field);
  },
  check: (input) => checkJob(jobInput(input)),
  whole: (input, { defaultTimeoutSeconds }) => ({
    ...definedJob(jobInput(input), defaultTimeoutSeconds),
  }),
  values(key, whole, { defaultTimeoutSeconds, names }) {
    const job = whole as unknown as WrittenJob;
    const { method, timeoutSeconds, retries, awaitSeconds, after, onResult, paused, notes } = job;
    const headers = Object.keys(job.headers).toSorted();
    return {
      name: unless(job.name, key),
      url: literalVariables(job.url),
      method: unless(method, jobDefaults.method),
      headers:
        headers.length > 0 ? new Map(headers.map((name) => [name, job.headers[name]])) : undefined,
      body: job.body === null ? undefined : literal(job.body),
      ...(isUnscheduled(job) ? {} : scheduleValues(job)),
      timeout: unless(`${timeoutSeconds}s`, `${defaultTimeoutSeconds}s`),
      retries: unless(retries, jobDefaults.retries),
      await: awaitSeconds ? durationOf(awaitSeconds) : undefined,
      after: after === null ? undefined : (names?.get(after.jobId) ?? after.jobId),
      'after-on': after === null ? undefined : unless(after.on, 'success'),
      'on-result': onResult === null ? undefined : literalVariables(onResult),
      paused: unless(paused, jobDefaults.paused),
      notes: unless(notes, jobDefaults.notes),
      sign: job.sign ?? undefined,
      audience: job.audience ?? undefined,
    };
  },
  compare({ document, hiddenNames }, input, { defaultTimeoutSeconds }) {
    const job = document as unknown as EditableFields;
    // An answer leaves out extensions that the job does not use.
    const before = { ...jobDefaults, ...job, headers: withoutValues(hiddenNames) };
    const defined = definedJob(jobInput(input), defaultTimeoutSeconds);
    const after = { ...defined, headers: withoutValues(Object.keys(defined.headers)) };
    return {
      changedFields: changedFields(before, after),
      changedHidden: changedHeaders(before, after),
    };
  },
  conceal: (fields) => ({
    ...fields,
    url: String(fields['url']).replace(/\?[^]*$/, '?(secret)'),
    ...(fields['on-result'] !== undefined && {
      'on-result': (fields['on-result'] as string).replace(/\?[^]*$/, '?(secret)'),
    }),
    ...(fields['body'] !== undefined && { body: '(secret)' }),
  }),
};

/** Whether the results of a job get a secret that jobd makes when it is applied, and that a file cannot show. */
export function getsUnseenSecret(
  input: Input,
  item: Pick<ManagedItem, 'document'> | null,
): boolean {
  const { onResult, onResultSecret } = input as Partial<JobInput>;
  if (typeof onResult !== 'string' || onResultSecret !== undefined) return false;
  const before = item?.document['onResult'];
  return typeof before !== 'string' || leavesOrigin({ url: before }, { url: onResult });
}

/** Whether a job runs after another one and has, for when it no longer does, the schedule of one that is given none. */
function isUnscheduled(job: WrittenJob): boolean {
  return job.after !== null && sameDefinition(job, readSchedule({}));
}

function jobInput(input: Input): JobInput {
  return definedInput(input as unknown as JobDefinition);
}

function withoutValues(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
