/** The editable fields of a job in the API. Null for a field of the schedule means "not given". */

import { Type } from 'typebox';
import { maxHeaders } from '../../domain/jobs/headers.ts';
import { jobDefaults, jobRules, maxBodyLength } from '../../domain/jobs/job.ts';
import { field, id, nullable } from '../http/schema.ts';
import { scheduleFields } from '../schedule/fields.ts';

export const jobFields = {
  name: field(jobRules.name, {
    description: 'The name people use for the job. Not blank; it need not be unique.',
  }),
  url: field(jobRules.url, {
    description:
      'What is called: a public http or https address on port 80 or 443, without a user name or password. ' +
      'Names that resolve to a private address are refused when the call is made.',
  }),
  method: field(jobRules.method, {
    description: 'The method of the call.',
    default: jobDefaults.method,
  }),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      `Headers sent with each call, name to value: at most ${maxHeaders}, at most 16 KiB in all. An update replaces the ` +
      'whole set, `{}` removes it. Values are never shown again, so an update that moves `url` to another scheme, host ' +
      'or port must give them again.',
    default: jobDefaults.headers,
  }),
  body: nullable(
    Type.String({
      description:
        `The body of the call, at most ${maxBodyLength} characters; a longer one is answered 413. Only with POST, PUT, ` +
        'PATCH and DELETE. It is sent as `text/plain; charset=utf-8` unless `headers` has another type.',
      default: jobDefaults.body,
    }),
  ),
  ...scheduleFields(
    'the job',
    'Seconds from one due time to the next, counted from the creation of the job or the last change of its schedule.',
  ),
  timeoutSeconds: field(jobRules.timeoutSeconds, {
    description:
      'Seconds that one attempt may take, from resolving the name to the end of the answer. A plan may allow less. ' +
      `The default is ${jobDefaults.timeoutSeconds}, or what the plan allows if that is less.`,
  }),
  retries: field(jobRules.retries, {
    description:
      'Further attempts after a transient connection error (such as a timeout before the request was sent), HTTP 429 or ' +
      '5xx. The first waits 1 s, the second 5 s, or as long as `Retry-After` says, up to 30 s.',
    default: jobDefaults.retries,
  }),
  notes: field(jobRules.notes, {
    description: 'Free text about the job.',
    default: jobDefaults.notes,
  }),
};

/** Fields that only a creation has. */
export const creationFields = {
  paused: field(jobRules.paused, {
    description: 'Creates the job paused: it is not called on schedule until it is resumed.',
    default: jobDefaults.paused,
  }),
  workspaceId: id('The workspace of the job. It must be the one of the key, which is the default.'),
};
