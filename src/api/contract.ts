/**
 * The contract of the API, once: types, validation, serialisation and the published description come
 * from these schemas. What is in no schema is neither accepted nor sent.
 */

import { Type } from 'typebox';
import type { Static, TSchema, TUnsafe } from 'typebox';
import { jobActions } from '../domain/job-input.ts';
import { jobLimits, jobStatuses, methods, scheduleTypes } from '../domain/job.ts';
import { runStatuses } from '../domain/run.ts';
import type { RunStatus } from '../domain/run.ts';

/** `type: [T, "null"]`: shorter than a union, and its errors name both. */
function nullable<T extends TSchema & { type: string }>(schema: T): TUnsafe<Static<T> | null> {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
}

function oneOf<const T extends string>(values: readonly T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values });
}

const dateTime = Type.String({ format: 'date-time' });
const integer = Type.Integer();
const text = Type.String();

/** Fields of a job that people give, at creation and later (spec section 2.1). */
const jobFields = {
  name: Type.String({ minLength: 1, maxLength: jobLimits.nameLength }),
  url: Type.String({ maxLength: jobLimits.urlLength }),
  method: oneOf(methods),
  headers: Type.Record(Type.String(), Type.String()),
  body: nullable(text),
  scheduleType: oneOf(scheduleTypes),
  cronExpr: nullable(text),
  timezone: text,
  periodSeconds: Type.Integer({
    minimum: jobLimits.periodSeconds.min,
    maximum: jobLimits.periodSeconds.max,
  }),
  timeoutSeconds: Type.Integer({
    minimum: jobLimits.timeoutSeconds.min,
    maximum: jobLimits.timeoutSeconds.max,
  }),
  retries: Type.Integer({ minimum: jobLimits.retries.min, maximum: jobLimits.retries.max }),
  notes: Type.String({ maxLength: jobLimits.notesLength }),
};

const optionalJobFields = Type.Partial(Type.Object(jobFields)).properties;

/** Job input of a creation. */
export const JobInput = Type.Object(
  {
    ...optionalJobFields,
    name: jobFields.name,
    url: jobFields.url,
    paused: Type.Optional(Type.Boolean()),
    workspaceId: Type.Optional(text),
  },
  { additionalProperties: false },
);
export type JobInput = Static<typeof JobInput>;

/** Update of a job: what is not given stays as it is. */
export const JobUpdate = Type.Object(
  { ...optionalJobFields, action: Type.Optional(oneOf(jobActions)) },
  { additionalProperties: false },
);
export type JobUpdate = Static<typeof JobUpdate>;

/** A job as it is returned (spec section 2.2): names of headers, never their values. */
export const Job = Type.Object({
  id: text,
  name: text,
  url: text,
  method: oneOf(methods),
  headerNames: Type.Array(text),
  body: nullable(text),
  scheduleType: oneOf(scheduleTypes),
  cronExpr: nullable(text),
  timezone: text,
  periodSeconds: nullable(integer),
  timeoutSeconds: integer,
  retries: integer,
  notes: text,
  paused: Type.Boolean(),
  status: oneOf(jobStatuses),
  nextRunAt: nullable(dateTime),
  lastRunAt: nullable(dateTime),
  lastDurationMs: nullable(integer),
  downReason: nullable(text),
  createdAt: dateTime,
});
export type Job = Static<typeof Job>;

/** A run as it is returned (spec section 2.3). */
export const Run = Type.Object({
  id: text,
  jobId: text,
  source: oneOf(['scheduled', 'manual']),
  status: oneOf(runStatuses),
  scheduledFor: dateTime,
  startedAt: nullable(dateTime),
  finishedAt: nullable(dateTime),
  attempts: integer,
  httpStatus: nullable(integer),
  durationMs: nullable(integer),
  responseBody: nullable(text),
  truncated: Type.Boolean(),
  error: nullable(text),
});
export type Run = Static<typeof Run>;

const Totals = Type.Unsafe<Record<RunStatus, number>>(
  Type.Object(Object.fromEntries(runStatuses.map((status) => [status, integer]))),
);

/** The envelopes (spec section 2.4). */
export const JobResponse = Type.Object({ job: Job });
export const RunResponse = Type.Object({ run: Run });
export const JobList = Type.Object({ jobs: Type.Array(Job), nextCursor: nullable(text) });
export const RunList = Type.Object({
  runs: Type.Array(Run),
  nextCursor: nullable(text),
  totals: Totals,
});
export const QueuedRun = Type.Object({ run: Run, resultUrl: text });
export const Ok = Type.Object({ ok: Type.Boolean() });
export const ErrorBody = Type.Object({ error: text });

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
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    cursor: Type.Optional(text),
  },
  { additionalProperties: false },
);
export type PageQuery = Static<typeof PageQuery>;

/** Path parameters. An id of another form is an unknown id, so nothing is demanded of it here. */
export const JobPath = Type.Object({ id: text });
export const RunPath = Type.Object({ id: text, runId: text });

/** Headers of a manual run. */
export const RunJobHeaders = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
});
