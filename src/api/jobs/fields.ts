/** The editable fields of a job in the API. Null for a field of the schedule means "not given". */

import { Type } from 'typebox';
import { afterOnWords } from '../../domain/jobs/after-words.ts';
import { longestChain } from '../../domain/jobs/after.ts';
import type { AfterOn } from '../../domain/jobs/after-words.ts';
import { maxHeaders } from '../../domain/jobs/headers.ts';
import { jobDefaults, jobRules, maxBodyLength } from '../../domain/jobs/job.ts';
import { field, id, nullable } from '../http/schema.ts';
import { scheduleFields } from '../schedule/fields.ts';

/** When the end of the other job's run starts this one. */
export const afterOnText =
  '`success` and `failed`: by the outcome of its run; `finished`: however it ends, also `interrupted`. A missed run starts nothing.';

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
  awaitSeconds: nullable(
    field(jobRules.awaitSeconds, {
      description:
        'Extension: seconds that the target may take to report after an answer of 202. Each call then has the header ' +
        '`X-Service-Completion-Url`, and a run that is answered 202 stays `running` until the target reports there. Null, the ' +
        'default: an answer of 202 is a success, as any other 2xx.',
      default: jobDefaults.awaitSeconds,
    }),
  ),
  after: nullable(
    Type.Object(
      {
        jobId: Type.String({
          format: 'uuid',
          maxLength: 36,
          description: 'The id of the other job, of the same workspace.',
        }),
        on: Type.Optional(
          Type.Unsafe<AfterOn>(
            Type.String({ enum: [...afterOnWords], description: afterOnText, default: 'success' }),
          ),
        ),
      },
      {
        additionalProperties: false,
        description:
          'Extension: the job runs after this other one, instead of on its schedule, which is kept and counts again once `after` ' +
          `is null. No circles; at most ${longestChain} jobs in a row.`,
        default: jobDefaults.after,
      },
    ),
  ),
  onResult: nullable(
    field(jobRules.onResult, {
      description:
        'Extension: a URL that each finished run of the job is posted to, as a message of type `run.finished` by Standard ' +
        'Webhooks. The rules of `url` apply.',
      default: jobDefaults.onResult,
    }),
  ),
  onResultSecret: Type.String({
    maxLength: 128,
    description:
      'Extension: the secret that signs what `onResult` gets, `whsec_` and 24 to 64 bytes in base64. Never shown. One is ' +
      'generated if none is given for a new URL, and shown once; moving the URL to another scheme, host or port makes it new.',
  }),
  notes: field(jobRules.notes, {
    description: 'Free text about the job.',
    default: jobDefaults.notes,
  }),
  sign: nullable(
    field(jobRules.sign, {
      description:
        'Extension: how calls prove who makes them. `httpsig` signs the request (RFC 9421, Ed25519); `oidc` sends a token as ' +
        '`Authorization: Bearer`, signed with EdDSA, and `oidc-rs256` one signed with RS256, for clouds that take nothing else. ' +
        'The keys are at `/.well-known/jwks.json`. Null for none.',
      default: jobDefaults.sign,
    }),
  ),
  audience: nullable(
    field(jobRules.audience, {
      description:
        'Extension: who the token is for, such as the URL of the target: visible ASCII characters. Needed with `oidc` and ' +
        '`oidc-rs256`, refused otherwise.',
      default: jobDefaults.audience,
    }),
  ),
};

/** Fields that only a creation has. */
export const creationFields = {
  paused: field(jobRules.paused, {
    description: 'Creates the job paused: it is not called on schedule until it is resumed.',
    default: jobDefaults.paused,
  }),
  workspaceId: id('The workspace of the job. It must be the one of the key, which is the default.'),
};
