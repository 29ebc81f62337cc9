/** The fields that people set of a job (docs/behavior.md#job-2): the one place that says what each is. */

import { nameField, notesField, type Details, type Field } from '../fields.ts';
import { labelsDetail, labelsField } from '../labels.ts';
import {
  adjustmentDetails,
  adjustmentFields,
  scheduleDetails,
  scheduleFields,
} from '../schedule/fields.ts';
import { longestChain } from './after-words.ts';
import { maxHeaders } from './headers.ts';
import { signKinds } from './sign.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Longest body, in characters. A longer one is `too_large`. */
export const maxBodyLength = 32_768;

const urlRule = { type: 'string', maxLength: 2_048 } as const;

export const jobFields = {
  name: { ...nameField, help: 'name of the job' },
  url: { form: 'url', rule: urlRule, label: 'URL', help: 'URL to call, http or https' },
  method: {
    form: 'word',
    rule: { type: 'string', enum: methods },
    label: 'Method',
    help: 'HTTP method of the call',
    default: 'GET',
  },
  headers: {
    form: 'special',
    rule: { type: 'object', additionalProperties: { type: 'string' } },
    label: 'Headers',
    help: 'headers to send',
    default: {},
    isWriteOnly: true,
    option: 'header',
    off: ['--no-headers', 'send no headers but those of --header'],
  },
  body: {
    form: 'content',
    rule: { type: 'string' },
    label: 'Body',
    help: 'body to send',
    default: null,
    option: 'data',
    off: ['--no-data', 'send no body'],
  },
  ...scheduleFields,
  ...adjustmentFields,
  deleteAfterSeconds: {
    form: 'duration',
    rule: { type: 'integer', minimum: 0, maximum: 31_536_000 },
    label: 'Deleted after',
    help: 'how long it is kept once it is due no more',
    default: null,
    isExtension: true,
    key: 'delete-after',
    off: ['--no-delete-after', 'keep it'],
  },
  timeoutSeconds: {
    form: 'seconds',
    rule: { type: 'integer', minimum: 1, maximum: 60 },
    label: 'Timeout',
    help: 'longest time for an attempt',
    default: 30,
    defaultNote: 'or the maximum of the plan',
  },
  retries: {
    form: 'count',
    rule: { type: 'integer', minimum: 0, maximum: 2 },
    label: 'Retries',
    help: 'retries after a temporary failure',
    default: 0,
  },
  reportWithinSeconds: {
    form: 'duration',
    rule: { type: 'integer', minimum: 1, maximum: 86_400 },
    label: 'Report after 202',
    help: 'after an answer of 202, longest time until the target reports how its work ended',
    default: null,
    isExtension: true,
    off: ['--no-report-within', 'take an answer of 202 as a success'],
  },
  makeUpSeconds: {
    form: 'duration',
    rule: { type: 'integer', minimum: 60, maximum: 604_800 },
    label: 'Make up',
    help: 'one run makes up for missed due times, up to this long after the last of them',
    default: null,
    isExtension: true,
    off: ['--no-make-up', 'make up for nothing'],
  },
  after: {
    form: 'special',
    rule: { type: 'object' },
    label: 'Runs after',
    help: 'the job that it runs after, instead of on its schedule',
    default: null,
    isExtension: true,
    off: ['--no-after', 'run on its schedule again'],
  },
  onResult: {
    form: 'url',
    rule: urlRule,
    label: 'Results go to',
    help: 'URL that gets each finished run',
    default: null,
    isExtension: true,
    off: ['--no-on-result', 'post results nowhere'],
  },
  onResultSecret: {
    form: 'secret',
    rule: { type: 'string', maxLength: 128 },
    label: 'Signing secret',
    help: 'secret that signs results',
    isExtension: true,
    isWriteOnly: true,
  },
  labels: labelsField,
  notes: notesField,
  paused: {
    form: 'flag',
    rule: { type: 'boolean' },
    label: 'Paused',
    help: 'whether its schedule is paused',
    default: false,
  },
  sign: {
    form: 'word',
    rule: { type: 'string', enum: signKinds },
    label: 'Proof of the caller',
    help: 'how calls prove who makes them, by a signature or a token',
    default: null,
    isExtension: true,
    off: ['--no-sign', 'prove nothing about who calls'],
  },
  audience: {
    form: 'text',
    rule: { type: 'string', minLength: 1, maxLength: 255 },
    label: 'Audience',
    help: 'who the token is for, such as the URL of the target',
    default: null,
    isExtension: true,
  },
} as const satisfies Record<string, Field>;

/** What the description of the API adds. */
export function jobDetails(): Details<typeof jobFields> {
  return {
    name: 'Not blank; it need not be unique.',
    url:
      'A public address on port 80 or 443, without a user name or password. Names that resolve to a private address are ' +
      'refused when the call is made.',
    headers:
      `Names to values: at most ${maxHeaders}, at most 16 KiB in all. An update replaces the whole set, \`{}\` removes it. ` +
      'Values are never shown again, so an update that moves `url` to another scheme, host or port must give them again.',
    body:
      `At most ${maxBodyLength} characters; a longer one is answered 413. Only with POST, PUT, PATCH and DELETE. It is sent ` +
      'as `text/plain; charset=utf-8` unless `headers` has another type.',
    ...scheduleDetails(
      'It is counted from the creation of the job or the last change of its schedule.',
    ),
    ...adjustmentDetails(),
    deleteAfterSeconds:
      'Only with `runAt` or `notAfter`; counted from its last run. It is deleted with its history and its receipts. Null: never. Default of a job that is made with `runAt`: 604800.',
    timeoutSeconds:
      'From resolving the name to the end of the answer. A plan may allow less, and then that is the default.',
    retries:
      'Temporary are connection errors (such as a timeout before the request was sent), HTTP 429 and 5xx. ' +
      'The first waits 1 s, the second 5 s, or as long as `Retry-After` says, up to 30 s.',
    reportWithinSeconds:
      'Each call then has the header `X-Service-Report-Url`, and a run that is answered 202 stays `running` until the ' +
      'target reports there. Null: an answer of 202 is a success, as any other 2xx.',
    makeUpSeconds:
      'The missed run stays as it is; the one that makes up for it names it in `causedBy`, and has the last due time as `dueAt`. ' +
      'Null: what is missed is not called later.',
    after: `The schedule is kept and counts again once this is null. No circles; at most ${longestChain} jobs in a row.`,
    onResult: 'As a message of type `run.finished` by Standard Webhooks. The rules of `url` apply.',
    onResultSecret:
      '`whsec_` and 24 to 64 bytes in base64. Never shown. One is generated if none is given for a new URL, and shown once; ' +
      'moving the URL to another scheme, host or port makes it new.',
    labels: labelsDetail,
    sign:
      '`httpsig` signs the request (RFC 9421, Ed25519); `oidc` sends a token as `Authorization: Bearer`, signed with EdDSA, ' +
      'and `oidc-rs256` one signed with RS256, for clouds that take nothing else. The keys are at `/.well-known/jwks.json`. ' +
      'Null for none.',
    audience: 'Visible ASCII characters. Needed with `oidc` and `oidc-rs256`, refused otherwise.',
    paused: 'A paused job is not called on schedule until it is resumed.',
  };
}
