/** What the API accepts and returns about jobs. Header values are never returned. */

import { Type, type Static } from 'typebox';
import { actions } from '../../domain/fields.ts';
import { afterOnWords } from '../../domain/jobs/after-words.ts';
import type { AfterInput } from '../../domain/jobs/after.ts';
import { jobDetails, jobFields } from '../../domain/jobs/fields.ts';
import { jobStatuses } from '../../domain/jobs/job.ts';
import { page } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import * as examples from './examples.ts';

/** When the end of the other job's run starts this one. */
export const afterOnText =
  '`success` and `failed`: by the outcome of its run; `finished`: however it ends, also `interrupted`. A missed run starts nothing.';

const { paused, ...rows } = t.inputFields(jobFields, jobDetails());
const { properties: afterFields } = Type.Object({
  jobId: Type.String({
    format: 'uuid',
    maxLength: 36,
    description: 'The id of the other job, of the same workspace.',
  }),
  on: Type.Optional(t.oneOf(afterOnWords, { description: afterOnText, default: 'success' })),
});
/** What can be set of a job at any time. */
const fields = {
  ...rows,
  after: Type.Unsafe<AfterInput | null>({
    ...rows.after,
    properties: afterFields,
    required: ['jobId'],
    additionalProperties: false,
  }),
};

/** What a job can be created with, wherever it is defined. */
export const definedJobFields = {
  ...t.optional({ ...fields, paused }),
  name: fields.name,
  url: fields.url,
};

export const JobInput = t.input(
  'JobInput',
  'A job to create. Omitted fields get their defaults.',
  [examples.jobInput, examples.periodJobInput],
  {
    ...definedJobFields,
    workspaceId: Type.Optional(
      t.id('The workspace of the job. It must be the one of the key, which is the default.'),
    ),
  },
);
export type JobInput = Static<typeof JobInput>;

const { paused: shownPaused, ...shown } = t.shownFields(jobFields);
const id = t.id('The id of the job.');
/** Fields that a client reads and cannot set. */
const state = {
  headerNames: t.array(
    Type.String(),
    'Names of the request headers. Their values are never shown.',
  ),
  paused: shownPaused,
  status: t.oneOf(
    jobStatuses,
    '`paused` while the schedule is paused; else `running` while a run executes; else `new` before the first result, then `up` ' +
      'or `down` according to the last result.',
  ),
  nextRunAt: t.momentOrNull(
    'When the job is due next. While a run executes, the due time after it; in a hold, the one after that. Null while the job is paused, ' +
      'after the account has expired, and once it is due no more.',
  ),
  lastRunAt: t.momentOrNull('When the last call started.'),
  lastDurationMs: t.integerOrNull('Duration of the last run, in milliseconds.'),
  downReason: t.textOrNull('The `error` of the last run, while the job is down.'),
  createdAt: t.moment('When the job was created.'),
  ...t.covered,
};

/** A job as it is returned (docs/behavior.md#jobs). */
export const Job = t.output('Job', 'A URL to call, and when to call it.', examples.job, {
  id,
  ...shown,
  ...state,
  after: Type.Optional(
    t.part(t.aboutField(jobFields.after), {
      jobId: t.id('The id of that job.'),
      on: t.oneOf(afterOnWords, afterOnText),
    }),
  ),
});
export type Job = Static<typeof Job>;

export const JobUpdate = t.input(
  'JobUpdate',
  'Changes to a job. Omitted fields keep their values. You can send back the `job` object of a GET: its read-only fields `id`, ' +
    '`headerNames`, `paused` and `createdAt` must be unchanged, and the others are ignored. A `status` that would pause or ' +
    'resume the job is refused: use `action`.',
  [examples.jobUpdate, examples.pauseUpdate],
  {
    ...t.optional(t.withoutDefaults(fields)),
    action: Type.Optional(t.oneOf(actions, 'Applied together with the other fields, after them.')),
    ...t.optional(t.readOnly({ id, ...state })),
  },
);
export type JobUpdate = Static<typeof JobUpdate>;

export const JobResponse = t.envelope('JobResponse', { job: Job });
export type JobResponse = Static<typeof JobResponse>;

export const JobKept = t.envelope(
  'JobKept',
  {
    job: Job,
    onResultSecret: Type.Optional(
      t.text(
        'Extension: the secret that signs what `onResult` gets, if it was generated. It is shown only once.',
      ),
    ),
  },
  { job: examples.job },
);
export type JobKept = Static<typeof JobKept>;
export const JobList = t.envelope('JobList', page('jobs', Job));
export type JobList = Static<typeof JobList>;

/** An id in another form is an unknown id: it passes validation and gets 404. */
export const JobPath = Type.Object({ id: t.id('The id of the job.') });
