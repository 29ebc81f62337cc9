/**
 * What people give to make or change a job, and the rules it must keep: of each field by itself, and
 * of the fields together. Types and lengths are checked at the door, before.
 */

import { characterCount } from '../characters.ts';
import { isoTime } from '../clock.ts';
import { invalidInput, JobdError } from '../errors.ts';
import { checkHeaders } from './headers.ts';
import { jobLimits, jobStatus, leavesOrigin, sameSchedule, scheduleOf } from './job.ts';
import type { Job, JobAction, JobStatus, Method } from './job.ts';
import { writable } from '../read-only.ts';
import { firstDue } from '../schedule/next.ts';
import { anchorOf, defaultSchedule, readSchedule } from '../schedule/schedule-input.ts';
import type { ScheduleInput } from '../schedule/schedule-input.ts';
import { judgeUrl } from '../targets/target.ts';
import type { AllowedTarget } from '../targets/target.ts';

/** Fields of a job that people give. */
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

/** Fields of a job as people read them, which they cannot set. */
export interface JobReading {
  id: string;
  headerNames: readonly string[];
  paused: boolean;
  status: JobStatus;
  nextRunAt: string | null;
  lastRunAt: string | null;
  lastDurationMs: number | null;
  downReason: string | null;
  createdAt: string;
}

/**
 * What is not given stays as it is; the action is applied after the fields. A job may be sent back as it was read, so
 * there may be fields that cannot be set.
 */
export interface JobUpdate extends Partial<JobFields>, Partial<JobReading> {
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
  judgeUrl(input.url, allowTargets);
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
export function changeJob(job: Job, update: JobUpdate, { now, allowTargets }: JobContext): Job {
  const { action, ...fields } = writableOf(job, update);
  checkEach(fields, job, allowTargets);
  const changed: Job = { ...job, ...normalised(fields), ...readSchedule(fields, job) };
  checkTogether(changed);
  const fresh = { ...changed, ...countedFrom(now, changed) };
  const isPaused = action === undefined ? job.paused : action === 'pause';
  if (isPaused) return { ...changed, paused: true, nextRunAt: null };
  const goesOn = !job.paused && sameSchedule(job, changed);
  return goesOn ? changed : { ...fresh, paused: false };
}

/** The fields that can be set. Throws `invalid_input` if another one is not as it is. */
function writableOf(job: Job, update: JobUpdate): Partial<JobFields> & { action?: JobAction } {
  const isPauseMeant = (update.status === 'paused') !== job.paused;
  return writable(update, {
    fixed: {
      id: job.id,
      headerNames: Object.keys(job.headers),
      paused: job.paused,
      createdAt: isoTime(job.createdAt),
      ...(isPauseMeant && { status: jobStatus(job) }),
    },
    passing: ['status', 'nextRunAt', 'lastRunAt', 'lastDurationMs', 'downReason'],
  });
}

function checkEach(
  fields: Partial<JobFields>,
  job: Job,
  allowTargets: readonly AllowedTarget[],
): void {
  const { name, url, body } = fields;
  if (name?.trim() === '') throw invalidInput('name must not be blank');
  // What an operator allows may have become less: a URL that stays as it is stands in the way of no change.
  if (url !== undefined && url !== job.url) {
    judgeUrl(url, allowTargets);
    if (fields.headers === undefined && hasHeaders(job) && leavesOrigin(job, { url })) {
      throw invalidInput(headersNeeded);
    }
  }
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

function hasHeaders({ headers }: Pick<Job, 'headers'>): boolean {
  return Object.keys(headers).length > 0;
}

/** Whoever may write could have the values sent to themselves, and they are shown to nobody. */
const headersNeeded =
  'headers must be given again, or {} to remove them, when url moves to another scheme, host or port: their values are secret';

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
