/**
 * What people give to make or change a job, and the rules it must keep: of each field by itself, and
 * of the fields together. Types and lengths are checked at the door, before.
 */

import { characterCount } from './characters.ts';
import { invalidInput, JobdError } from './errors.ts';
import { checkHeaders } from './headers.ts';
import { jobLimits, sameSchedule, scheduleOf } from './job.ts';
import type { Job, JobAction, Method } from './job.ts';
import { firstDue } from './schedule/next.ts';
import { anchorOf, defaultSchedule, readSchedule } from './schedule-input.ts';
import type { ScheduleInput } from './schedule-input.ts';
import { judgeUrl } from './target.ts';
import type { AllowedTarget } from './target.ts';

/** Fields of a job that people give (spec section 2.1). */
export interface JobFields extends ScheduleInput {
  name: string;
  url: string;
  method: Method;
  headers: Record<string, string>;
  body: string | null;
  timeoutSeconds: number;
  retries: number;
  notes: string;
}

export interface JobInput extends Partial<JobFields> {
  name: string;
  url: string;
  paused?: boolean;
}

/** What is not given stays as it is; the action is applied after the fields. */
export interface JobUpdate extends Partial<JobFields> {
  action?: JobAction;
}

/** What is decided about a job besides what people give. */
export interface JobContext {
  now: number;
  allowTargets: readonly AllowedTarget[];
}

/** The methods whose requests carry a body. */
const methodsWithBody: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Makes a job: what is not given has its default. Throws `JobdError` `invalid_input`, or `too_large`
 * for a body over its limit.
 */
export function defineJob(
  input: JobInput,
  { id, workspaceId, now, allowTargets }: JobContext & { id: string; workspaceId: string },
): Job {
  const unscheduled: Job = {
    id,
    workspaceId,
    name: input.name,
    url: input.url,
    method: 'GET',
    headers: {},
    body: null,
    ...defaultSchedule,
    anchorAt: now,
    timeoutSeconds: 30,
    retries: 0,
    notes: '',
    paused: true,
    health: 'new',
    failures: 0,
    activeRunId: null,
    nextRunAt: null,
    lastRunAt: null,
    lastDurationMs: null,
    downReason: null,
    createdAt: now,
  };
  const { paused, ...fields } = input;
  const action = paused === true ? 'pause' : 'resume';
  return changeJob(unscheduled, { ...fields, action }, { now, allowTargets });
}

/**
 * Changes a job. A changed schedule, and a resumed one, counts from now; an unchanged one goes on.
 * Throws as `defineJob` does.
 */
export function changeJob(
  job: Job,
  { action, ...fields }: JobUpdate,
  { now, allowTargets }: JobContext,
): Job {
  checkEach(fields, allowTargets);
  const changed: Job = { ...job, ...normalised(fields), ...readSchedule(fields, job) };
  checkTogether(changed);
  const fresh = { ...changed, ...countedFrom(now, changed) };
  const isPaused = action === undefined ? job.paused : action === 'pause';
  if (isPaused) return { ...changed, paused: true, nextRunAt: null };
  const goesOn = !job.paused && sameSchedule(job, changed);
  return goesOn ? changed : { ...fresh, paused: false };
}

function checkEach(fields: Partial<JobFields>, allowTargets: readonly AllowedTarget[]): void {
  const { name, url, body } = fields;
  if (name?.trim() === '') throw invalidInput('name must not be blank');
  if (url !== undefined) judgeUrl(url, allowTargets);
  const length = characterCount(body ?? '');
  if (length > jobLimits.bodyLength) {
    const limit = `body must be at most ${jobLimits.bodyLength} characters`;
    throw new JobdError('too_large', `${limit}, got ${length}`);
  }
}

/** Headers are kept as they are checked. */
function normalised({ headers, ...fields }: Partial<JobFields>): Partial<JobFields> {
  return { ...fields, ...(headers !== undefined && { headers: checkHeaders(headers) }) };
}

function checkTogether({ method, body }: Job): void {
  if (body !== null && !methodsWithBody.includes(method)) {
    throw invalidInput(
      `body is sent only with ${methodsWithBody.join(', ')}, got method ${method}`,
    );
  }
}

/** Where a schedule that counts from `now` begins; throws if it would never be due. */
function countedFrom(now: number, job: Job): Pick<Job, 'anchorAt' | 'nextRunAt'> {
  const anchorAt = anchorOf(now);
  return { anchorAt, nextRunAt: firstDue(scheduleOf({ ...job, anchorAt }), now) };
}
