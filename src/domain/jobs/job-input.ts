/**
 * What people send to create or change a job, and the rules for it: for each field by itself, and for the
 * fields together. The API has checked the types before.
 */

import { checkSigningSecret } from '../signing-secret.ts';
import { characterCount } from '../characters.ts';
import { isoTime } from '../clock.ts';
import { invalidInput, JobdError } from '../errors.ts';
import { checkFields, type Action } from '../fields.ts';
import { readLabels } from '../labels.ts';
import { writable } from '../read-only.ts';
import { readAdjustments } from '../schedule/adjustment-input.ts';
import { sameDueTimes } from '../schedule/schedule.ts';
import { anchorOf, readSchedule, type ScheduleInput } from '../schedule/schedule-input.ts';
import { judgeUrl, type AllowedTarget } from '../targets/target.ts';
import { countedFrom, isOver } from './actions.ts';
import { isOnSchedule, readAfter, type AfterInput } from './after.ts';
import { checkEffects } from './effects.ts';
import { checkHeaders } from './headers.ts';
import { jobFields, maxBodyLength } from './fields.ts';
import { jobDefaults, jobStatus, leavesOrigin, usualOfOnce } from './job.ts';
import type { EditableFields, Job, JobStatus, Method } from './job.ts';
import { changedSigning, checkSigning } from './sign.ts';

/** The editable fields as people send them; null for a field of the schedule means "not given". */
export interface JobFields
  extends Omit<EditableFields, keyof ScheduleInput | 'paused' | 'after'>, ScheduleInput {
  after: AfterInput | null;
  /** The secret that signs what `onResult` gets: kept with that (`app/jobs/callbacks.ts`), never shown. */
  onResultSecret: string;
}

export interface JobInput extends Partial<JobFields> {
  name: string;
  url: string;
  paused?: boolean;
}

/**
 * A field that is not given stays as it is. The action is applied after the fields. A job may be sent back as it was
 * read, so fields that cannot be set may be in it.
 */
export interface JobUpdate extends Partial<JobFields> {
  action?: Action;
  status?: JobStatus;
  headerNames?: readonly string[];
}

/** What the rules depend on besides the input. */
export interface JobContext {
  now: number;
  allowTargets: readonly AllowedTarget[];
}

const methodsWithBody: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Creates a job; a field not given has its default. Throws `invalid_input`, or `too_large` for a body over its limit. */
export function defineJob(
  { paused, ...fields }: JobInput,
  { id, workspaceId, now, allowTargets }: JobContext & { id: string; workspaceId: string },
): Job {
  checkJobFields({ url: fields.url }, allowTargets);
  const blank: Job = {
    workspaceId,
    name: fields.name,
    url: fields.url,
    ...jobDefaults,
    ...(fields.runAt && usualOfOnce),
    ...beginning(id, now),
  };
  const action = paused === true ? 'pause' : 'resume';
  return changeJob(blank, { ...fields, action }, { now, allowTargets });
}

/**
 * A copy of a job under another name: paused, and without its results. Of one that is over, its times stay, though they have
 * passed: it is resumed once it has later ones. Throws `invalid_input` for the name, and for a
 * URL that may not be called any more.
 */
export function copyOfJob(
  job: Job,
  name: string,
  { id, now, allowTargets }: JobContext & { id: string },
): Job {
  checkJobFields({ name, url: job.url, onResult: job.onResult }, allowTargets);
  const copy = { ...job, name, ...beginning(id, now) };
  const { runAt, notAfter } = job;
  const adjustments = JSON.stringify({ runAt, notAfter });
  return { ...copy, ...readAdjustments(copy, { ...copy, adjustments }, now) };
}

/** What a job begins with that people do not set. */
function beginning(id: string, now: number) {
  return {
    id,
    anchorAt: anchorOf(now),
    adjustments: null,
    paused: true,
    health: 'new',
    failures: 0,
    activeRunId: null,
    nextRunAt: null,
    lastRunAt: null,
    lastDurationMs: null,
    downReason: null,
    createdAt: now,
  } as const;
}

/** Changes a job. A changed or resumed schedule counts from now, an unchanged one continues. Throws as `defineJob` does. */
export function changeJob(job: Job, update: JobUpdate, { now, allowTargets }: JobContext): Job {
  const { action } = update;
  const { headers, url = job.url, ...given } = writableOf(job, update);
  const { after, onResultSecret, ...others } = given;
  // An operator may have withdrawn a target since: a URL that stays as it is must not prevent other changes.
  const { onResult, ...checked } = others;
  const moved = {
    ...(url !== job.url && { url }),
    ...(onResult !== undefined && onResult !== job.onResult && { onResult }),
  };
  const secret = onResultSecret !== undefined && { onResultSecret };
  checkJobFields({ ...checked, ...moved, ...secret }, allowTargets);
  if (headers === undefined && hasHeaders(job) && leavesOrigin(job, { url })) {
    throw invalidInput(headersNeeded);
  }
  const fields = {
    ...job,
    ...others,
    url,
    headers: headers === undefined ? job.headers : checkHeaders(headers),
    after: after === undefined ? job.after : readAfter(after, job.id),
    labels: readLabels(others.labels === undefined ? job.labels : others.labels),
    ...readSchedule(others, job),
    ...changedSigning(job, others),
  };
  const changed: Job = { ...fields, ...readAdjustments(fields, fields, now) };
  if (changed.runAt !== null && changed.after !== null) {
    throw invalidInput('runAt and after exclude each other: set one of them to null');
  }
  checkEffects(others, job, changed);
  checkBodyFits(changed);
  if (secret && changed.onResult === null) {
    throw invalidInput('onResultSecret needs onResult, the URL that gets results');
  }
  checkSigning(changed, changed.headers);
  const isPaused =
    action === undefined ? job.paused : action === 'pause' && (job.paused || !isOver(changed, now));
  const isDue = isOnSchedule({ ...changed, paused: isPaused });
  const isSame = sameDueTimes(job, changed);
  if (isDue && isSame && isOnSchedule(job)) return changed;
  // A schedule that is never due is refused even while the job is paused, unless it was there before.
  const counted = isDue || !isSame ? countedFrom(now, changed) : {};
  return { ...changed, ...(isDue ? counted : { nextRunAt: null }), paused: isPaused };
}

/** Checks each field that is given by itself, but for `headers` and the schedule. Throws as `defineJob` does. */
export function checkJobFields(
  fields: Partial<JobFields>,
  allowTargets: readonly AllowedTarget[],
): void {
  checkFields(jobFields, fields);
  if (fields.url !== undefined) judgeUrl(fields.url, allowTargets);
  if (typeof fields.onResult === 'string') judgeUrl(fields.onResult, allowTargets, 'onResult');
  const { onResultSecret: secret } = fields;
  if (secret !== undefined) checkSigningSecret(secret, 'onResultSecret');
  const length = characterCount(fields.body ?? '');
  if (length > maxBodyLength) {
    const limit = `body must be at most ${maxBodyLength} characters`;
    throw new JobdError('too_large', `${limit}, got ${length}`);
  }
}

/** The fields that can be set. Throws `invalid_input` if another one is not as it is. */
function writableOf(job: Job, update: JobUpdate) {
  const isPauseMeant = (update.status === 'paused') !== job.paused;
  return writable(jobFields, update, {
    id: job.id,
    headerNames: Object.keys(job.headers),
    paused: job.paused,
    createdAt: isoTime(job.createdAt),
    ...(isPauseMeant && { status: jobStatus(job) }),
  });
}

function hasHeaders({ headers }: Pick<Job, 'headers'>): boolean {
  return Object.keys(headers).length > 0;
}

/** Without this, anyone with a write key could redirect the secret header values to a server of their own. */
const headersNeeded =
  'headers must be given again, or {} to remove them, when url moves to another scheme, host or port: their values are secret';

function checkBodyFits({ method, body }: Job): void {
  if (body === null || methodsWithBody.includes(method)) return;
  throw invalidInput(`body is sent only with ${methodsWithBody.join(', ')}, got method ${method}`);
}
