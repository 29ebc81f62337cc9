/** What the API accepts and returns about jobs. Header values are never returned. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { actions } from '../../domain/fields.ts';
import { afterOnWords } from '../../domain/jobs/after-words.ts';
import { jobStatuses, methods } from '../../domain/jobs/job.ts';
import { signKinds } from '../../domain/jobs/sign.ts';
import { scheduleTypes } from '../../domain/schedule/schedule.ts';
import { page } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import * as examples from './examples.ts';
import { afterOnText, creationFields, jobFields } from './fields.ts';

const { workspaceId, paused } = t.optional(creationFields);
/** What a job can be created with, wherever it is defined. */
export const definedJobFields = {
  ...t.optional(jobFields),
  name: jobFields.name,
  url: jobFields.url,
  paused,
};

export const JobInput = t.input(
  'JobInput',
  'A job to create. Omitted fields get their defaults.',
  [examples.jobInput, examples.periodJobInput],
  { ...definedJobFields, workspaceId },
);
export type JobInput = Static<typeof JobInput>;

/** A job as it is returned (docs/behavior.md#jobs). */
export const Job = t.output('Job', 'A URL to call, and when to call it.', examples.job, {
  id: t.id('The id of the job.'),
  name: t.text('The name of the job.'),
  url: t.text('The http or https URL to call.'),
  method: t.oneOf(methods, 'The HTTP method of the request.'),
  headerNames: t.array(
    Type.String(),
    'Names of the request headers. Their values are never shown.',
  ),
  body: t.nullable(t.text('The request body.')),
  scheduleType: t.oneOf(
    scheduleTypes,
    'Whether `cronExpr` or `periodSeconds` defines the schedule.',
  ),
  cronExpr: t.nullable(t.text('When the job is due, as a cron expression in `timezone`.')),
  timezone: t.text('IANA time zone.'),
  periodSeconds: t.nullable(t.integer('Seconds between two due times.')),
  timeoutSeconds: t.integer('The longest duration of one attempt, in seconds.'),
  retries: t.integer('Further attempts after a transient failure.'),
  notes: t.text('Free text.'),
  paused: t.flag('Whether the schedule is paused.'),
  status: t.oneOf(
    jobStatuses,
    '`paused` while the schedule is paused; else `running` while a run executes; else `new` before the first result, then `up` ' +
      'or `down` according to the last result.',
  ),
  nextRunAt: t.nullable(
    t.moment(
      'When the job is due next. While a run executes, the due time after it. Null while the job is paused and after the ' +
        'account has expired.',
    ),
  ),
  lastRunAt: t.nullable(t.moment('When the last call started.')),
  lastDurationMs: t.nullable(t.integer('Duration of the last run, in milliseconds.')),
  downReason: t.nullable(t.text('The `error` of the last run, while the job is down.')),
  createdAt: t.moment('When the job was created.'),
  awaitSeconds: Type.Optional(
    t.integer(
      'Extension: seconds that the target may take to report after an answer of 202. Left out unless it is set.',
    ),
  ),
  after: Type.Optional(
    t.part(
      'Extension: the job that it runs after, instead of on its schedule. Only if it is set.',
      {
        jobId: t.id('The id of that job.'),
        on: t.oneOf(afterOnWords, afterOnText),
      },
    ),
  ),
  onResult: Type.Optional(
    t.text('Extension: the URL that its finished runs are posted to. Only if it is set.'),
  ),
  ...t.optional({
    sign: t.oneOf(signKinds, 'Extension: how calls prove who makes them. Left out if they do not.'),
    audience: t.text('Extension: who the tokens are for. Left out if no token is sent.'),
  }),
});
export type Job = Static<typeof Job>;

/** Fields that a client reads and cannot set. */
const jobState = Type.Pick(Job, [
  'id',
  'headerNames',
  'paused',
  'status',
  'nextRunAt',
  'lastRunAt',
  'lastDurationMs',
  'downReason',
  'createdAt',
]).properties;

export const JobUpdate = t.input(
  'JobUpdate',
  'Changes to a job. Omitted fields keep their values. You can send back the `job` object of a GET: its read-only fields `id`, ' +
    '`headerNames`, `paused` and `createdAt` must be unchanged, and the others are ignored. A `status` that would pause or ' +
    'resume the job is refused: use `action`.',
  [examples.jobUpdate, examples.pauseUpdate],
  {
    ...t.optional(t.withoutDefaults(jobFields)),
    action: Type.Optional(t.oneOf(actions, 'Applied together with the other fields, after them.')),
    ...t.optional(t.readOnly(jobState)),
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
