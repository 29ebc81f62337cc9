/** The fields of a job that people give, at creation and later. Null for a field of the schedule says "not given". */

import { Type } from 'typebox';
import { jobLimits, methods, scheduleTypes } from '../../domain/jobs/job.ts';
import { id, nullable, oneOf } from '../http/schema.ts';

export const jobFields = {
  name: Type.String({
    minLength: 1,
    maxLength: jobLimits.nameLength,
    description: 'What people call the job. Not blank; it need not be unique.',
  }),
  url: Type.String({
    maxLength: jobLimits.urlLength,
    description:
      'What is called: a public http or https address on port 80 or 443, without a user name or password. ' +
      'Names that lead to a private address are refused when the call is made.',
  }),
  method: oneOf(methods, { description: 'The method of the call.', default: 'GET' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      'Headers sent with each call, name to value: at most 50, at most 16 KiB in all. An update replaces the whole ' +
      'set, `{}` removes it. Values are never shown again, so an update that moves `url` to another scheme, host or ' +
      'port must give them again.',
    default: {},
  }),
  body: nullable(
    Type.String({
      description:
        `The body of the call, at most ${jobLimits.bodyLength} characters; a longer one is answered 413. Only with POST, ` +
        'PUT, PATCH and DELETE. It is sent as `text/plain; charset=utf-8` unless `headers` says otherwise.',
      default: null,
    }),
  ),
  scheduleType: nullable(
    oneOf(scheduleTypes, {
      description: 'Whether `cronExpr` or `periodSeconds` says when the job is due.',
      default: 'cron',
    }),
  ),
  cronExpr: nullable(
    Type.String({
      description:
        'Five fields: minute, hour, day of month, month, day of week; with names, ranges, steps, lists, `L` and `#`, ' +
        'or one of `@hourly @daily @weekly @monthly @yearly`. Refused when `scheduleType` is `period`, unless null ' +
        'or, in an update, unchanged.',
      default: '0 * * * *',
    }),
  ),
  timezone: nullable(
    Type.String({
      description:
        'The IANA time zone that `cronExpr` is read in. Offsets such as `+02:00` are refused. With a period it does not ' +
        'affect the due times, and is kept for when `scheduleType` becomes `cron`.',
      default: 'Europe/Paris',
    }),
  ),
  periodSeconds: nullable(
    Type.Integer({
      minimum: jobLimits.periodSeconds.min,
      maximum: jobLimits.periodSeconds.max,
      description:
        'Seconds from one due time to the next, counted from the creation of the job or the last change of its ' +
        'schedule. Required when `scheduleType` is `period`; refused when it is `cron`, unless null or, in an update, ' +
        'unchanged.',
    }),
  ),
  timeoutSeconds: Type.Integer({
    minimum: jobLimits.timeoutSeconds.min,
    maximum: jobLimits.timeoutSeconds.max,
    description:
      'Seconds that one attempt may take, from looking up the name to the end of the answer. A plan may allow less. ' +
      'The default is 30, or what the plan allows if that is less.',
  }),
  retries: Type.Integer({
    minimum: jobLimits.retries.min,
    maximum: jobLimits.retries.max,
    description:
      'Further attempts after a transient connection error (a timeout before the request was sent is one), HTTP 429 or ' +
      '5xx. The first waits 1 s, the second 5 s, or as long as `Retry-After` says, up to 30 s.',
    default: 0,
  }),
  notes: Type.String({
    maxLength: jobLimits.notesLength,
    description: 'Anything people want to remember about the job.',
    default: '',
  }),
};

/** Fields that only a creation has. */
export const creationFields = {
  paused: Type.Boolean({
    description: 'Creates the job paused: it is not called on schedule until it is resumed.',
    default: false,
  }),
  workspaceId: id('The workspace of the job. It must be the one of the key, which is the default.'),
};
