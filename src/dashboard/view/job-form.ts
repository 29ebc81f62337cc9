/** What somebody has typed about a job, and what of it is sent to the API. */

import type { Job, JobInput } from '../../api/jobs/contract.ts';
import type { AfterOn } from '../../domain/jobs/after-words.ts';
import { jobDefaults, type Method } from '../../domain/jobs/job.ts';
import { sendsToken, type SignKind } from '../../domain/jobs/sign.ts';
import type { PastedDraft } from '../../wings/readers/pasted.ts';
import { emptyOf, wholeNumber } from './forms.ts';
import { labelsLine, labelsTyped } from './labels.ts';
import {
  emptyInSchedule,
  lengthOf,
  newSchedule,
  scheduleFields,
  scheduleForm,
  secondsOf,
} from './schedule-form.ts';
import type { Length, ScheduleForm } from './schedule-form.ts';

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
  /** Blank for none. */
  spreadSeconds: Length;
  notBefore: string;
  notAfter: string;
  runAt: string;
  /** Blank: it is kept. */
  deleteAfterSeconds: Length;
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
  /** Blank: what is missed is not made up for. */
  makeUpSeconds: Length;
  /** `client=acme, env=prod` */
  labels: string;
  notes: string;
  /** Empty where calls do not say who makes them. */
  sign: SignKind | '';
  audience: string;
}

/** What a new job has; those that the API leaves out where there are none are not in it. */
const nothing = { ...jobDefaults, name: '', url: '', headerNames: [] };

/** The form of a job, or of a new one. `zone` is that of this browser. */
export function formOf(job: Job | null, zone: string): JobForm {
  const from: Pick<Job, keyof Job & keyof typeof nothing> | typeof nothing = job ?? nothing;
  return {
    name: from.name,
    url: from.url,
    method: from.method,
    body: from.body ?? '',
    headers: from.headerNames.length === 0 ? [] : null,
    schedule: job === null ? newSchedule(zone) : scheduleForm(job),
    spreadSeconds: lengthOf(from.spreadSeconds ?? null),
    notBefore: from.notBefore ?? '',
    notAfter: from.notAfter ?? '',
    runAt: from.runAt ?? '',
    deleteAfterSeconds: lengthOf(from.deleteAfterSeconds ?? null),
    after: from.after?.jobId ?? '',
    afterOn: from.after?.on ?? 'success',
    onResult: from.onResult ?? '',
    onResultSecret: '',
    timeoutSeconds: String(from.timeoutSeconds),
    retries: String(from.retries),
    awaitSeconds: String(from.awaitSeconds ?? ''),
    makeUpSeconds: lengthOf(from.makeUpSeconds ?? null),
    labels: labelsLine(from.labels ?? undefined),
    notes: from.notes,
    sign: from.sign ?? '',
    audience: from.audience ?? '',
  };
}

/** What can be compared of two readings of a job. Header values cannot be read, so their changes are not found. */
export function readingOf({ headerNames, ...job }: Job): object {
  return { ...inputOf(formOf({ ...job, headerNames: [] }, '')), headerNames };
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
    ...adjustmentsIn(form),
    deleteAfterSeconds: secondsOrNull(form.deleteAfterSeconds),
    after: after === '' ? null : { jobId: after, on: afterOn },
    onResult: onResult === '' ? null : onResult,
    ...(onResult !== '' && onResultSecret !== '' && { onResultSecret }),
    timeoutSeconds: wholeNumber(timeoutSeconds),
    retries: wholeNumber(retries),
    awaitSeconds: awaitSeconds.trim() === '' ? null : wholeNumber(awaitSeconds),
    makeUpSeconds: secondsOrNull(form.makeUpSeconds),
    labels: labelsTyped(form.labels),
    sign: sign === '' ? null : sign,
    audience: wantsAudience(form) ? audience.trim() : null,
  };
}

/** What adjusts when a job is due, as it was typed. */
export function adjustmentsIn({ spreadSeconds, notBefore, notAfter, runAt }: JobForm) {
  return {
    spreadSeconds: secondsOrNull(spreadSeconds),
    notBefore: notBefore.trim() || null,
    notAfter: notAfter.trim() || null,
    runAt: runAt.trim() || null,
  };
}

function secondsOrNull(length: Length): number | null {
  return length.count.trim() === '' ? null : secondsOf(length);
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
  if (['http://', 'https://'].some((begin) => begin.startsWith(url.toLowerCase()))) return null;
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
