/** Jobs in files. */

import { changedFields } from '../../../domain/definition.ts';
import { asSentence, nameRule } from '../../../domain/fields.ts';
import { checkHeaders, maxHeaders } from '../../../domain/jobs/headers.ts';
import { afterOnWords } from '../../../domain/jobs/after-words.ts';
import { jobFields } from '../../../domain/jobs/fields.ts';
import { checkJobFields, defineJob } from '../../../domain/jobs/job-input.ts';
import type { JobInput } from '../../../domain/jobs/job-input.ts';
import { jobDefaults, leavesOrigin } from '../../../domain/jobs/job.ts';
import type { EditableFields } from '../../../domain/jobs/job.ts';
import { changedHeaders, definedInput, definedJob } from '../../../domain/jobs/managed-job.ts';
import type { JobDefinition } from '../../../domain/jobs/managed-job.ts';
import { sameDefinition } from '../../../domain/schedule/schedule.ts';
import { checkSchedule, readSchedule } from '../../../domain/schedule/schedule-input.ts';
import { everywhere } from '../../../domain/targets/target.ts';
import { adopt, fileFields, fileValues, reference, word } from './fields.ts';
import type { FileKind, Input, ManagedItem } from './kind.ts';
import { noSchedule, scheduleValues } from './monitor-kind.ts';

/** A job is checked with this where there is no server: only the server knows which targets are allowed. */
const nowhere = { id: '', workspaceId: '', now: 0, allowTargets: everywhere };

/** Checks the input of a job as far as that is possible without the server. Throws `invalid_input`. */
export function checkJob(input: JobInput): void {
  defineJob(input, nowhere);
}

export const jobKind: FileKind = {
  section: 'jobs',
  noun: 'job',
  fields: {
    adopt: adopt('job'),
    ...fileFields(jobFields, {
      headers: {
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
      },
      after: {
        after: {
          api: 'after',
          about: `${asSentence(jobFields.after.help)} Its key, its name or its id.`,
          form: reference('job', nameRule),
        },
        'after-on': {
          api: 'afterOn',
          about: 'Which end of that job starts it: success, failed or finished. Default: success.',
          form: word(afterOnWords),
        },
      },
    }),
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
    const job = whole as unknown as EditableFields;
    const { after } = job;
    const headers = Object.keys(job.headers).toSorted();
    const defaults = { ...jobDefaults, name: key, timeoutSeconds: defaultTimeoutSeconds };
    return {
      ...fileValues(jobFields, whole, defaults),
      headers:
        headers.length > 0 ? new Map(headers.map((name) => [name, job.headers[name]])) : undefined,
      ...(isUnscheduled(job) ? noSchedule : scheduleValues(job)),
      after: after === null ? undefined : (names?.get(after.jobId) ?? after.jobId),
      'after-on': after === null || after.on === 'success' ? undefined : after.on,
    };
  },
  compare({ document, hiddenNames }, input, { defaultTimeoutSeconds }) {
    const job = document as unknown as EditableFields;
    // An answer leaves out extensions that the job does not use.
    const before = { ...jobDefaults, ...job, headers: withoutValues(hiddenNames) };
    const defined = definedJob(jobInput(input), defaultTimeoutSeconds);
    const after = { ...defined, headers: withoutValues(Object.keys(defined.headers)) };
    return {
      changedFields: changedFields(jobFields, before, after),
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
function isUnscheduled(job: EditableFields): boolean {
  return job.after !== null && sameDefinition(job, readSchedule({}));
}

function jobInput(input: Input): JobInput {
  return definedInput(input as unknown as JobDefinition);
}

function withoutValues(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
