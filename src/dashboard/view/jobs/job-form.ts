/** What somebody has typed about a job, and what of it is sent to the API. */

import type { Job, JobInput, JobUpdate } from '../../../api/jobs/contract.ts';
import { fieldWord } from '../../../domain/field-words.ts';
import type { AfterOn } from '../../../domain/jobs/after-words.ts';
import type { Method } from '../../../domain/jobs/job.ts';
import { sendsToken } from '../../../domain/jobs/sign.ts';
import type { SignKind } from '../../../domain/jobs/sign.ts';
import type { PastedDraft } from '../../../wings/readers/pasted.ts';
import { emptyOf } from '../field-errors.ts';
import {
  emptyInSchedule,
  newSchedule,
  scheduleFields,
  scheduleForm,
  scheduleLabels,
} from '../schedule/schedule-form.ts';
import type { ScheduleForm } from '../schedule/schedule-form.ts';

/** A header that is sent with each call. */
export interface HeaderRow {
  name: string;
  value: string;
}

/** The fields as they were typed: numbers are text until they are sent. */
export interface JobForm {
  name: string;
  url: string;
  method: Method;
  body: string;
  /** Null keeps the headers that the job has; their values cannot be read. */
  headers: readonly HeaderRow[] | null;
  schedule: ScheduleForm;
  /** The id of the job that it runs after; blank for its schedule. */
  after: string;
  afterOn: AfterOn;
  /** The URL that gets results; blank for none. */
  onResult: string;
  /** Blank keeps the one there is, or has one made: it cannot be read. */
  onResultSecret: string;
  timeoutSeconds: string;
  retries: string;
  /** Empty: an answer of 202 is a success. */
  awaitSeconds: string;
  notes: string;
  /** Empty where calls do not say who makes them. */
  sign: SignKind | '';
  audience: string;
}

/** What the form calls the fields of the API. */
export const jobLabels = {
  name: 'Name',
  method: 'Method',
  url: 'URL',
  ...scheduleLabels,
  after: 'Runs after',
  onResult: 'Results go to',
  onResultSecret: 'Signing secret',
  headers: 'Headers',
  body: 'Body',
  timeoutSeconds: 'Timeout in seconds',
  retries: 'Retries',
  awaitSeconds: 'Report after 202, within seconds',
  notes: 'Notes',
  sign: 'Proof of the caller',
  audience: 'Audience',
} as const;

/** What a new job begins with. `zone` is that of this browser. */
export function newForm(zone: string): JobForm {
  return {
    name: '',
    url: '',
    method: 'GET',
    body: '',
    headers: [],
    schedule: newSchedule(zone),
    after: '',
    afterOn: 'success',
    onResult: '',
    onResultSecret: '',
    timeoutSeconds: '30',
    retries: '0',
    awaitSeconds: '',
    notes: '',
    sign: '',
    audience: '',
  };
}

/** The fields of a job that there is. */
export function formOf(job: Job): JobForm {
  return {
    name: job.name,
    url: job.url,
    method: job.method,
    body: job.body ?? '',
    headers: job.headerNames.length === 0 ? [] : null,
    schedule: scheduleForm(job),
    after: job.after?.jobId ?? '',
    afterOn: job.after?.on ?? 'success',
    onResult: job.onResult ?? '',
    onResultSecret: '',
    timeoutSeconds: String(job.timeoutSeconds),
    retries: String(job.retries),
    awaitSeconds: String(job.awaitSeconds ?? ''),
    notes: job.notes,
    sign: job.sign ?? '',
    audience: job.audience ?? '',
  };
}

/** All that was typed, as the API takes it. */
export function inputOf(form: JobForm): JobInput {
  const { headers, schedule, body, timeoutSeconds, retries, awaitSeconds, ...more } = form;
  const { after, afterOn, onResult, onResultSecret, sign, audience, ...others } = more;
  return {
    ...others,
    body: body === '' ? null : body,
    ...(headers !== null && { headers: headersOf(headers) }),
    ...scheduleFields(schedule),
    after: after === '' ? null : { jobId: after, on: afterOn },
    onResult: onResult === '' ? null : onResult,
    ...(onResult !== '' && onResultSecret !== '' && { onResultSecret }),
    timeoutSeconds: wholeNumber(timeoutSeconds),
    retries: wholeNumber(retries),
    awaitSeconds: awaitSeconds.trim() === '' ? null : wholeNumber(awaitSeconds),
    sign: sign === '' ? null : sign,
    audience: wantsAudience(form) ? audience.trim() : null,
  };
}

/** Whether an audience is asked for. */
export function wantsAudience({ sign }: Pick<JobForm, 'sign'>): boolean {
  return sign !== '' && sendsToken(sign);
}

/** The ways to say who calls, as the form names them. */
export const signChoices: readonly [kind: SignKind | '', words: string][] = [
  ['', 'None'],
  ['httpsig', 'Signature of the request'],
  ['oidc', 'Token (EdDSA)'],
  ['oidc-rs256', 'Token (RS256)'],
];

/** Only what differs from `base`, which is what the job had when somebody began to type. */
export function changesOf(form: JobForm, base: JobForm): JobUpdate {
  const before: Partial<Record<string, unknown>> = inputOf(base);
  const changed = Object.entries(inputOf(form)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}

/** The form with what was pasted; it keeps its own fields where that says nothing. */
export function withDraft(form: JobForm, draft: PastedDraft): JobForm {
  const { headers, body, cronExpr, timezone, timeoutSeconds, retries, ...others } = draft;
  const { schedule } = form;
  return {
    ...form,
    ...others,
    ...(headers !== undefined && { headers: rowsOf(headers) }),
    ...(body !== undefined && { body: body ?? '' }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds: String(timeoutSeconds) }),
    ...(retries !== undefined && { retries: String(retries) }),
    schedule: {
      ...schedule,
      ...(cronExpr !== undefined && { scheduleType: 'cron' as const, cronExpr }),
      ...(timezone !== undefined && { timezone }),
    },
  };
}

/** The fields of the API that must be filled in and are not, the first one first. */
export function emptyIn(form: JobForm): string[] {
  const { name, url, schedule, timeoutSeconds, retries, audience } = form;
  return [
    ...emptyOf({ name, url }),
    ...emptyInSchedule(schedule),
    ...emptyOf({ timeoutSeconds, retries, ...(wantsAudience(form) && { audience }) }),
  ];
}

/** Names of fields in words, each once: `name, URL and schedule`. */
export function fieldWords(fields: readonly string[]): string {
  const all = [...new Set(fields.map(fieldWord))];
  const last = all.pop() ?? '';
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`;
}

/** The fields in which two readings of a job differ. Header values cannot be read, so their changes are not found. */
export function changedFields(before: Job, after: Job): string[] {
  const of = ({ headerNames, ...job }: Job) => ({
    ...inputOf(formOf({ ...job, headerNames: [] })),
    headerNames,
  });
  const [one, other] = [of(before), of(after)] as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

/** Whether a call with this method has a body. */
export function hasBody(method: Method): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** What a textarea gives, with the line ends that the text had: some bodies need CR LF, and a textarea drops the CR. */
export function keepLineEnds(typed: string, before: string): string {
  const isCrLf = /\r\n/.test(before) && !/(?<!\r)\n/.test(before);
  return isCrLf ? typed.replaceAll(/\r?\n/g, '\r\n') : typed;
}

/** A header whose name is typed; `X-Tenant: 7` is a name and a value. */
export function headerNamed(name: string, { value }: HeaderRow): HeaderRow {
  const [, before, after] = /^([^:]+):\s*(.*)$/.exec(name) ?? [];
  if (before === undefined || after === undefined || value !== '') return { name, value };
  return { name: before, value: after.trimEnd() };
}

/**
 * What the API cannot see in headers, in a sentence like its own: one that is there twice, or a value that was not typed
 * again. Null if all is well.
 */
export function headerProblem(
  rows: readonly HeaderRow[] | null,
  kept: readonly string[] = [],
): string | null {
  const names = usedRows(rows ?? []).map(({ name }) => name.trim().toLowerCase());
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (index === -1) {
    const lost = rows?.find((row) => row.value.trim() === '' && kept.includes(row.name));
    return lost === undefined
      ? null
      : `headers: the value of ${lost.name} is not kept, type it again or remove the header`;
  }
  const name = usedRows(rows ?? [])[index]?.name;
  return `headers must name each header once, got ${name} twice in any letter case`;
}

/** Why this is no URL of a job; null if it looks like one, or is not finished. Addresses are judged by the API. */
export function urlProblem(url: string): string | null {
  if ('https://'.startsWith(url.toLowerCase()) || 'http://' === url.toLowerCase()) return null;
  if (/[\s\\]/.test(url)) return 'A URL has no spaces or backslashes.';
  if (!/^https?:\/\//i.test(url)) return 'It begins with http:// or https://.';
  if (/^[^/]*\/\/[^/?#]*@/.test(url)) {
    return 'No user name or password can be in it: use a header.';
  }
  return URL.canParse(url) ? null : 'This is not a whole URL yet.';
}

function rowsOf(headers: Readonly<Record<string, string>>): HeaderRow[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function usedRows(rows: readonly HeaderRow[]): HeaderRow[] {
  return rows.filter(({ name, value }) => name !== '' || value !== '');
}

function headersOf(rows: readonly HeaderRow[]): Record<string, string> {
  return Object.fromEntries(usedRows(rows).map(({ name, value }) => [name.trim(), value.trim()]));
}

/** Text that is no number is sent as it is: the API says what is wrong with it. */
function wholeNumber(text: string): number {
  const trimmed = text.trim();
  return /^-?\d{1,9}$/.test(trimmed) ? Number(trimmed) : (text as unknown as number);
}
