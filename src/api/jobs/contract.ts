/** What the API accepts and returns about jobs, managed jobs included. Header values are never returned. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { actions } from '../../domain/fields.ts';
import { jobStatuses, methods } from '../../domain/jobs/job.ts';
import type { JobChange } from '../../domain/jobs/managed-job.ts';
import {
  definedFields,
  jobChanges,
  jobKeyRule,
  longestBatch,
} from '../../domain/jobs/managed-job.ts';
import { scheduleTypes } from '../../domain/schedule/schedule.ts';
import { page } from '../http/contract.ts';
import * as t from '../http/schema.ts';
import * as examples from './examples.ts';
import { creationFields, jobFields } from './fields.ts';

const { workspaceId, paused } = t.optional(creationFields);
/** What a job can be created with, wherever it is defined. */
const definedJobFields = {
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
export const JobList = t.envelope('JobList', page('jobs', Job));
export type JobList = Static<typeof JobList>;

/** An id in another form is an unknown id: it passes validation and gets 404. */
export const JobPath = Type.Object({ id: t.id('The id of the job.') });

export const ManagedJob = t.output(
  'ManagedJob',
  'A job that is defined elsewhere, usually in a file of a repository.',
  examples.managedJob,
  { key: t.text('The key of the job, unique in the workspace.'), job: Job },
);
export type ManagedJob = Static<typeof ManagedJob>;

export const ManagedJobList = t.envelope('ManagedJobList', page('managedJobs', ManagedJob));
export type ManagedJobList = Static<typeof ManagedJobList>;

export const Definition = t.input(
  'Definition',
  'The job that a key should have.',
  [examples.definition],
  {
    key: t.text(`The key of the job: ${jobKeyRule}.`),
    job: t.nullable(
      Type.Object(definedJobFields, {
        additionalProperties: false,
        description: 'The job. Omitted fields get their defaults. Null deletes the job.',
      }),
    ),
    adopt: Type.Optional(
      t.id(
        'The id of an unmanaged job that gets this key, if no job has the key yet. If that job does not exist, a new one ' +
          'is created.',
      ),
    ),
  },
);
export type Definition = Static<typeof Definition>;

export const DefinitionsInput = t.input(
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

export const DefinitionResult = t.output(
  'DefinitionResult',
  'The outcome of a definition, with the job after the change. In a dry run, the expected outcome and the unchanged job.',
  examples.definitionResult,
  {
    key: t.text('The key of the definition.'),
    change: Type.Unsafe<JobChange | null>({
      type: ['string', 'null'],
      enum: [...jobChanges, null],
      description: '`none` if the job already matched. Null if the definition was refused.',
    }),
    changedFields: t.array(
      t.oneOf(definedFields, 'The name of a field.'),
      'For an update, the fields that differed. `schedule` stands for the four schedule fields. Header values are ' +
        'compared too, without being shown.',
    ),
    changedHeaders: t.array(
      t.text('The name of a header.'),
      'Names of the headers that were added, removed or changed.',
    ),
    isAdopted: t.flag('Whether an unmanaged job got the key.'),
    job: Type.Union([Job, Type.Null()], { description: 'The job; null if there is none.' }),
    refusal: t.nullable(
      Type.Object(
        {
          status: t.integer('The HTTP status that the same request for a single job would get.'),
          error: t.text('What is wrong, and what would be right.'),
        },
        { description: 'Why this definition was not applied.' },
      ),
    ),
  },
);
export type DefinitionResult = Static<typeof DefinitionResult>;

export const DefinitionResults = t.envelope(
  'DefinitionResults',
  { results: t.array(DefinitionResult, 'In the order of the definitions.') },
  examples.definitionResults,
);
export type DefinitionResults = Static<typeof DefinitionResults>;
