/** What the API accepts and returns about jobs, managed jobs included. Header values are never returned. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { jobActions, jobStatuses, methods, scheduleTypes } from '../../domain/jobs/job.ts';
import type { JobChange } from '../../domain/jobs/managed-job.ts';
import {
  definedFields,
  jobChanges,
  jobKeyRule,
  longestBatch,
} from '../../domain/jobs/managed-job.ts';
import { page } from '../http/contract.ts';
import {
  envelope,
  flag,
  id,
  input,
  integer,
  moment,
  nullable,
  oneOf,
  optional,
  output,
  readOnly,
  text,
  withoutDefaults,
} from '../http/schema.ts';
import * as examples from './examples.ts';
import { creationFields, jobFields } from './fields.ts';

const { workspaceId, paused } = optional(creationFields);
/** What a job can be created with, wherever it is defined. */
const definedJobFields = {
  ...optional(jobFields),
  name: jobFields.name,
  url: jobFields.url,
  paused,
};

export const JobInput = input(
  'JobInput',
  'A job to create. Omitted fields get their defaults.',
  [examples.jobInput, examples.periodJobInput],
  { ...definedJobFields, workspaceId },
);
export type JobInput = Static<typeof JobInput>;

/** A job as it is returned (docs/behavior.md#jobs). */
export const Job = output('Job', 'A URL to call, and when to call it.', examples.job, {
  id: id('The id of the job.'),
  name: text('The name of the job.'),
  url: text('The http or https URL to call.'),
  method: oneOf(methods, { description: 'The HTTP method of the request.' }),
  headerNames: Type.Array(Type.String(), {
    description: 'Names of the request headers. Their values are never shown.',
  }),
  body: nullable(text('The request body.')),
  scheduleType: oneOf(scheduleTypes, {
    description: 'Whether `cronExpr` or `periodSeconds` defines the schedule.',
  }),
  cronExpr: nullable(text('When the job is due, as a cron expression in `timezone`.')),
  timezone: text('IANA time zone.'),
  periodSeconds: nullable(integer('Seconds between two due times.')),
  timeoutSeconds: integer('The longest duration of one attempt, in seconds.'),
  retries: integer('Further attempts after a transient failure.'),
  notes: text('Free text.'),
  paused: flag('Whether the schedule is paused.'),
  status: oneOf(jobStatuses, {
    description:
      '`paused` while the schedule is paused; else `running` while a run executes; else `new` before the first result, then `up` ' +
      'or `down` according to the last result.',
  }),
  nextRunAt: nullable(
    moment(
      'When the job is due next. While a run executes, the due time after it. Null while the job is paused and after the ' +
        'account has expired.',
    ),
  ),
  lastRunAt: nullable(moment('When the last call started.')),
  lastDurationMs: nullable(integer('Duration of the last run, in milliseconds.')),
  downReason: nullable(text('The `error` of the last run, while the job is down.')),
  createdAt: moment('When the job was created.'),
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

export const JobUpdate = input(
  'JobUpdate',
  'Changes to a job. Omitted fields keep their values. You can send back the `job` object of a GET: its read-only fields `id`, ' +
    '`headerNames`, `paused` and `createdAt` must be unchanged, and the others are ignored. A `status` that would pause or ' +
    'resume the job is refused: use `action`.',
  [examples.jobUpdate, examples.pauseUpdate],
  {
    ...optional(withoutDefaults(jobFields)),
    action: Type.Optional(
      oneOf(jobActions, { description: 'Applied together with the other fields, after them.' }),
    ),
    ...optional(readOnly(jobState)),
  },
);
export type JobUpdate = Static<typeof JobUpdate>;

export const JobResponse = envelope('JobResponse', { job: Job });
export type JobResponse = Static<typeof JobResponse>;
export const JobList = envelope('JobList', page('jobs', Job));
export type JobList = Static<typeof JobList>;

/** An id in another form is an unknown id: it passes validation and gets 404. */
export const JobPath = Type.Object({ id: id('The id of the job.') });

export const ManagedJob = output(
  'ManagedJob',
  'A job that is defined elsewhere, usually in a file of a repository.',
  examples.managedJob,
  { key: text('The key of the job, unique in the workspace.'), job: Job },
);
export type ManagedJob = Static<typeof ManagedJob>;

export const ManagedJobList = envelope('ManagedJobList', page('managedJobs', ManagedJob));
export type ManagedJobList = Static<typeof ManagedJobList>;

export const Definition = input(
  'Definition',
  'The job that a key should have.',
  [examples.definition],
  {
    key: text(`The key of the job: ${jobKeyRule}.`),
    job: nullable(
      Type.Object(definedJobFields, {
        additionalProperties: false,
        description: 'The job. Omitted fields get their defaults. Null deletes the job.',
      }),
    ),
    adopt: Type.Optional(
      id(
        'The id of an unmanaged job that gets this key, if no job has the key yet. If that job does not exist, a new one ' +
          'is created.',
      ),
    ),
  },
);
export type Definition = Static<typeof Definition>;

export const DefinitionsInput = input(
  'DefinitionsInput',
  'Definitions to apply.',
  [examples.definitionsInput],
  {
    definitions: Type.Array(Definition, {
      maxItems: longestBatch,
      description: `Up to ${longestBatch} definitions with different keys.`,
    }),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Reports the changes without making them.', default: false }),
    ),
  },
);
export type DefinitionsInput = Static<typeof DefinitionsInput>;

export const DefinitionResult = output(
  'DefinitionResult',
  'The outcome of a definition, with the job after the change. In a dry run, the expected outcome and the unchanged job.',
  examples.definitionResult,
  {
    key: text('The key of the definition.'),
    change: Type.Unsafe<JobChange | null>({
      type: ['string', 'null'],
      enum: [...jobChanges, null],
      description: '`none` if the job already matched. Null if the definition was refused.',
    }),
    changedFields: Type.Array(oneOf(definedFields, { description: 'The name of a field.' }), {
      description:
        'For an update, the fields that differed. `schedule` stands for the four schedule fields. Header values are ' +
        'compared too, without being shown.',
    }),
    changedHeaders: Type.Array(text('The name of a header.'), {
      description: 'Names of the headers that were added, removed or changed.',
    }),
    isAdopted: flag('Whether an unmanaged job got the key.'),
    job: Type.Union([Job, Type.Null()], { description: 'The job; null if there is none.' }),
    refusal: nullable(
      Type.Object(
        {
          status: integer('The HTTP status that the same request for a single job would get.'),
          error: text('What is wrong, and what would be right.'),
        },
        { description: 'Why this definition was not applied.' },
      ),
    ),
  },
);
export type DefinitionResult = Static<typeof DefinitionResult>;

export const DefinitionResults = envelope(
  'DefinitionResults',
  { results: Type.Array(DefinitionResult, { description: 'In the order of the definitions.' }) },
  examples.definitionResults,
);
export type DefinitionResults = Static<typeof DefinitionResults>;
