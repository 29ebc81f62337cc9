/** What somebody has typed about a job, and what of it is sent to the API. */

import type { Job, JobInput } from '../../api/jobs/contract.ts';
import type { AfterOn } from '../../domain/jobs/after-words.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import { usualOfOnce } from '../../domain/jobs/job.ts';
import { sendsToken, type SignKind } from '../../domain/jobs/sign.ts';
import type { PastedDraft } from '../../wings/readers/pasted.ts';
import { emptyOf } from './forms.ts';
import { labelsLine, labelsTyped } from './labels.ts';
import { emptyInSchedule, newSchedule, scheduleFields, scheduleForm } from './schedule-form.ts';
import { scheduleNames, type ScheduleForm } from './schedule-form.ts';
import { lengthOf, sentOf, typedIn, without, type TypedIn } from './typed.ts';

/** A header that is sent with each call. */
export interface HeaderRow {
  name: string;
  value: string;
}

/** The fields that are typed as their row says. */
const plain = without(jobFields, [
  ...scheduleNames,
  'runAt',
  'headers',
  'after',
  'labels',
  'paused',
]);

/** The fields as they were typed: numbers are text until they are sent. */
export interface JobForm extends TypedIn<typeof plain> {
  /** Null keeps the headers that the job has; their values cannot be read. */
  headers: readonly HeaderRow[] | null;
  schedule: ScheduleForm;
  /** `client=acme, env=prod` */
  labels: string;
  /** The id of the job that it runs after; blank for its schedule. */
  after: string;
  afterOn: AfterOn;
}

/** The form of a job, or of a new one. `zone` is that of this browser. */
export function formOf(job: Job | null, zone: string): JobForm {
  return {
    ...typedIn(plain, job, job?.timezone ?? zone),
    headers: job === null || job.headerNames.length === 0 ? [] : null,
    schedule: job === null ? newSchedule(zone) : scheduleForm(job),
    labels: labelsLine(job?.labels ?? undefined),
    after: job?.after?.jobId ?? '',
    afterOn: job?.after?.on ?? 'success',
  };
}

/** What can be compared of two readings of a job. Header values cannot be read, so their changes are not found. */
export function readingOf({ headerNames, ...job }: Job): object {
  return { ...inputOf(formOf({ ...job, headerNames: [] }, '')), headerNames };
}

/** All that was typed, as the API takes it. */
export function inputOf(form: JobForm): JobInput {
  const { headers, schedule, after, afterOn } = form;
  const { onResultSecret, audience, ...sent } = sentOf(plain, form);
  return {
    ...sent,
    ...(headers !== null && { headers: headersOf(headers) }),
    ...scheduleFields(schedule),
    ...adjustmentsIn(form),
    labels: labelsTyped(form.labels),
    after: after === '' ? null : { jobId: after, on: afterOn },
    ...(form.onResult !== '' && onResultSecret !== '' && { onResultSecret }),
    audience: wantsAudience(form) ? String(audience).trim() : null,
  } as JobInput;
}

/** What adjusts when a job is due, as it was typed. */
export function adjustmentsIn(form: JobForm) {
  const { spreadSeconds, notBefore, notAfter } = sentOf(plain, form);
  const { isOnce, runAt } = form.schedule;
  return { spreadSeconds, notBefore, notAfter, runAt: isOnce ? runAt : null };
}

/** What a new job gets when somebody chooses to have it called once, and loses when they change their mind. */
export const ofOnce = {
  true: {
    deleteAfterSeconds: lengthOf(usualOfOnce.deleteAfterSeconds),
    makeUpSeconds: lengthOf(usualOfOnce.makeUpSeconds),
  },
  false: { deleteAfterSeconds: lengthOf(null), makeUpSeconds: lengthOf(null) },
};

/** Whether an audience is asked for. */
export function wantsAudience({ sign }: Pick<JobForm, 'sign'>): boolean {
  return sign !== '' && sendsToken(sign as SignKind);
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
export function hasBody(method: string): boolean {
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

/** What the API cannot see in headers, as a sentence: one that is there twice, or a value not typed again. Null if all is well. */
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
