/**
 * The contract of the API, once: types, validation, serialisation and the published description come
 * from these schemas. What is in no schema is neither accepted nor sent. A schema with a `title` is
 * published under that name.
 */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { jobActions, jobStatuses, methods, scheduleTypes } from '../domain/jobs/job.ts';
import { runStatuses } from '../domain/runs/run.ts';
import type { RunStatus } from '../domain/runs/run.ts';
import * as examples from './description/examples.ts';
import { creationFields, jobFields } from './jobs/fields.ts';
import {
  id,
  integer,
  moment,
  nullable,
  oneOf,
  readOnly,
  text,
  withoutDefaults,
} from './http/schema.ts';

const optionalJobFields = Type.Partial(Type.Object(jobFields)).properties;
const changedJobFields = Type.Partial(Type.Object(withoutDefaults(jobFields))).properties;

/** Job input of a creation. */
export const JobInput = Type.Object(
  {
    ...optionalJobFields,
    name: jobFields.name,
    url: jobFields.url,
    paused: Type.Optional(creationFields.paused),
    workspaceId: Type.Optional(creationFields.workspaceId),
  },
  {
    additionalProperties: false,
    title: 'JobInput',
    description: 'A job to create. What is not given has its default.',
    examples: [examples.jobInput, examples.periodJobInput],
  },
);
export type JobInput = Static<typeof JobInput>;

/** A job as it is returned (docs/behavior.md#jobs): names of headers, never their values. */
export const Job = Type.Object(
  {
    id: id('The id of the job.'),
    name: text('What people call the job.'),
    url: Type.String({ description: 'What is called: an http or https URL.' }),
    method: oneOf(methods, { description: 'The method of the call.' }),
    headerNames: Type.Array(Type.String(), {
      description: 'Names of the headers sent with each call. Their values are never shown.',
    }),
    body: nullable(text('The body of the call.')),
    scheduleType: oneOf(scheduleTypes, {
      description: 'Whether `cronExpr` or `periodSeconds` says when the job is due.',
    }),
    cronExpr: nullable(text('When the job is due, read in `timezone`.')),
    timezone: text('IANA time zone.'),
    periodSeconds: nullable(integer('Seconds from one due time to the next.')),
    timeoutSeconds: integer('Seconds that one attempt may take.'),
    retries: integer('Further attempts after a failure that may pass.'),
    notes: text('Anything people want to remember about the job.'),
    paused: Type.Boolean({ description: 'Whether the schedule stands still.' }),
    status: oneOf(jobStatuses, {
      description:
        '`paused`; else `running` while a run executes; else `new` until the first result, then `up` or `down` by the last one.',
    }),
    nextRunAt: nullable(
      moment(
        'When the job is due next, while a run executes the next time to come; null while it is paused, and once the ' +
          'account has expired.',
      ),
    ),
    lastRunAt: nullable(moment('When the last call began.')),
    lastDurationMs: nullable(integer('Milliseconds that the last run took.')),
    downReason: nullable(text('The `error` of the last run, while the job is down.')),
    createdAt: moment('When the job was created.'),
  },
  { title: 'Job', description: 'What is called, and when.', examples: [examples.job] },
);
export type Job = Static<typeof Job>;

/** What people read of a job and cannot set. */
const readJobFields = Type.Pick(Job, [
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

/** Update of a job: what is not given stays as it is. A job may be sent back as it was read. */
export const JobUpdate = Type.Object(
  {
    ...changedJobFields,
    action: Type.Optional(
      oneOf(jobActions, { description: 'Applied after the other fields, in one step with them.' }),
    ),
    ...Type.Partial(Type.Object(readOnly(readJobFields))).properties,
  },
  {
    additionalProperties: false,
    title: 'JobUpdate',
    description:
      'A change of a job. What is not given stays as it is. What GET answers inside `job` can be sent: of the read-only ' +
      'fields, `id`, `headerNames`, `paused` and `createdAt` must be as they are, and the other ones are ignored ' +
      '(a `status` that would mean pausing or resuming is refused: use `action`).',
    examples: [examples.jobUpdate, examples.pauseUpdate],
  },
);
export type JobUpdate = Static<typeof JobUpdate>;

/** A run as it is returned (docs/behavior.md#runs). */
export const Run = Type.Object(
  {
    id: id('The id of the run; sent with each of its attempts as `X-Service-Run-Id`.'),
    jobId: id('The id of its job.'),
    source: oneOf(['scheduled', 'manual'], {
      description: 'Whether the schedule or a person asked for it.',
    }),
    status: oneOf(runStatuses, {
      description:
        '`interrupted`: the service stopped while the call was under way, so what came of it is not known; or it was not able to ' +
        'call, then `error` says that nothing was sent. ' +
        '`missed`: the due time was over a minute past before the call could begin. Neither is called again.',
    }),
    scheduledFor: moment('The due time, or when the run was asked for.'),
    startedAt: nullable(moment('When the first attempt began.')),
    finishedAt: nullable(
      moment(
        'When the outcome was known, or the run was closed as `interrupted`. Null while it is `queued` or `running`, ' +
          'and for `missed`.',
      ),
    ),
    attempts: integer('Attempts begun so far, the one under way included.'),
    httpStatus: nullable(integer('Status of the last answer; null if there was none.')),
    durationMs: nullable(
      integer(
        'Milliseconds from `startedAt` to `finishedAt`, all attempts and waits included; null for `interrupted`.',
      ),
    ),
    responseBody: nullable(text('Beginning of the last answer, at most 4096 bytes of UTF-8.')),
    truncated: Type.Boolean({
      description: 'Whether the target sent more than the preview holds.',
    }),
    error: nullable(
      text(
        'Why the run is not a success. The first word is one of `timeout dns refused reset tls protocol blocked_address ' +
          'redirect http missed interrupted`, followed by a colon and the details.',
      ),
    ),
  },
  {
    title: 'Run',
    description: 'One call of a job, and what came of it.',
    examples: [examples.run],
  },
);
export type Run = Static<typeof Run>;

const Totals = Type.Unsafe<Record<RunStatus, number>>(
  Type.Object(
    Object.fromEntries(runStatuses.map((status) => [status, integer('Runs in this state.')])),
    { description: 'How many runs of the job are kept in each state, on whatever page.' },
  ),
);

/** Where the next page begins. */
export const nextCursor = nullable(
  text('Pass it as `cursor` for the next page; null when there is none.'),
);

/** The envelopes (docs/behavior.md#the-api). */
export const JobResponse = Type.Object(
  { job: Job },
  { title: 'JobResponse', examples: [examples.jobResponse] },
);
export const RunResponse = Type.Object(
  { run: Run },
  { title: 'RunResponse', examples: [examples.runResponse] },
);
export const JobList = Type.Object(
  { jobs: Type.Array(Job, { description: 'Newest first.' }), nextCursor },
  { title: 'JobList', examples: [examples.jobList] },
);
export const RunList = Type.Object(
  { runs: Type.Array(Run, { description: 'Newest first.' }), nextCursor, totals: Totals },
  { title: 'RunList', examples: [examples.runList] },
);
export const QueuedRun = Type.Object(
  {
    run: Run,
    resultUrl: Type.String({
      format: 'uri',
      description: 'Where to ask for the result, as an absolute URL.',
    }),
  },
  { title: 'QueuedRun', examples: [examples.queued] },
);
export const Ok = Type.Object(
  { ok: Type.Boolean({ description: 'Always true.' }) },
  { title: 'Ok', examples: [{ ok: true }] },
);
export const ErrorBody = Type.Object(
  { error: text('What is wrong, where, and what would be right: one sentence for people.') },
  { title: 'Error', examples: [examples.error] },
);

export type JobResponse = Static<typeof JobResponse>;
export type RunResponse = Static<typeof RunResponse>;
export type JobList = Static<typeof JobList>;
export type RunList = Static<typeof RunList>;
export type QueuedRun = Static<typeof QueuedRun>;
export type Ok = Static<typeof Ok>;
export type ErrorBody = Static<typeof ErrorBody>;

/** Query of every list. */
export const PageQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'How many to answer with at most.',
        default: 50,
      }),
    ),
    cursor: Type.Optional(text('The `nextCursor` of the page before.')),
  },
  { additionalProperties: false },
);
export type PageQuery = Static<typeof PageQuery>;

/** Path parameters. An id of another form is an unknown id: the door lets it pass, to be 404. */
export const JobPath = Type.Object({ id: id('The id of the job.') });
export const RunPath = Type.Object({
  id: id('The id of the job.'),
  runId: id('The id of the run.'),
});

/** Headers of a manual run. */
export const RunJobHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Any text of your choice, read as UTF-8. Asking again with the same one answers with the run that the first request ' +
        'made, as long as that run is kept.',
      examples: ['invoice-2025-10'],
    }),
  ),
});
