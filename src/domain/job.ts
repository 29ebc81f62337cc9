/** A job: what to call, when, and how it has been doing. */

import { characterCount } from './characters.ts';
import { invalidInput, JobdError } from './errors.ts';
import { checkHeaders } from './headers.ts';
import { canonicalZone } from './schedule/zone.ts';
import { nextDue } from './schedule/next.ts';
import { parseCron } from './schedule/cron.ts';
import type { Schedule } from './schedule/schedule.ts';
import { judgeUrl } from './target.ts';
import type { AllowedTarget } from './target.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
export type Method = (typeof methods)[number];

/** The methods whose requests carry a body. */
const methodsWithBody: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

export const scheduleTypes = ['cron', 'period'] as const;
export type ScheduleType = (typeof scheduleTypes)[number];

/** Bounds of the fields (spec sections 2.1 and 8); lengths in characters (code points). */
export const jobLimits = {
  nameLength: 120,
  notesLength: 4_000,
  bodyLength: 32_768,
  urlLength: 2_048,
  periodSeconds: { min: 60, max: 31_536_000 },
  timeoutSeconds: { min: 1, max: 60 },
  retries: { min: 0, max: 2 },
} as const;

/** What a person gives to create a job (spec section 2.1); types and lengths are checked before. */
export interface JobInput {
  name: string;
  url: string;
  method?: Method;
  headers?: Record<string, string>;
  body?: string | null;
  scheduleType?: ScheduleType;
  cronExpr?: string | null;
  timezone?: string;
  periodSeconds?: number;
  timeoutSeconds?: number;
  retries?: number;
  notes?: string;
  paused?: boolean;
}

/** `new` until the first finished run, then by the last one; missed and interrupted change nothing. */
export type Health = 'new' | 'up' | 'down';
export type JobStatus = Health | 'paused' | 'running';
export const jobStatuses = ['new', 'up', 'down', 'paused', 'running'] as const;

/** What is sent at each call. */
export interface JobRequest {
  url: string;
  method: Method;
  headers: Record<string, string>;
  body: string | null;
  timeoutSeconds: number;
  retries: number;
}

/** Times are epoch milliseconds. */
export interface Job extends JobRequest {
  id: string;
  workspaceId: string;
  name: string;
  scheduleType: ScheduleType;
  cronExpr: string | null;
  timezone: string;
  periodSeconds: number | null;
  /** Where a period is counted from: creation, or the last change or resumption of the schedule. */
  anchorAt: number;
  notes: string;
  paused: boolean;
  health: Health;
  /** The run that executes now. */
  activeRunId: string | null;
  nextRunAt: number | null;
  lastRunAt: number | null;
  lastDurationMs: number | null;
  downReason: string | null;
  createdAt: number;
}

/** The one word that says how a job is (spec section 3.1). */
export function jobStatus(job: Job): JobStatus {
  if (job.paused) return 'paused';
  return job.activeRunId === null ? job.health : 'running';
}

/** The fields of a job that say when it is due. */
export type ScheduleFields = Pick<
  Job,
  'scheduleType' | 'cronExpr' | 'timezone' | 'periodSeconds' | 'anchorAt'
>;

/** The schedule of a job. Throws if the fields contradict each other, which `defineJob` prevents. */
export function scheduleOf(job: ScheduleFields): Schedule {
  if (job.scheduleType === 'period' && job.periodSeconds !== null) {
    return {
      scheduleType: 'period',
      periodSeconds: job.periodSeconds,
      anchorAt: job.anchorAt,
    };
  }
  if (job.scheduleType === 'cron' && job.cronExpr !== null) {
    return { scheduleType: 'cron', cronExpr: job.cronExpr, timezone: job.timezone };
  }
  throw new Error(`job has no ${job.scheduleType} schedule`);
}

/** What is decided for a new job besides its input. */
export interface JobContext {
  id: string;
  workspaceId: string;
  now: number;
  allowTargets: readonly AllowedTarget[];
}

/**
 * Makes a job of a person's input: defaults filled in, every combination of fields checked.
 * Throws `JobdError` `invalid_input`, or `too_large` for a body over its limit.
 */
export function defineJob(input: JobInput, context: JobContext): Job {
  const { id, workspaceId, now } = context;
  const job: Job = {
    id,
    workspaceId,
    name: definedName(input.name),
    ...definedRequest(input, context.allowTargets),
    ...definedSchedule(input, now),
    notes: input.notes ?? '',
    paused: input.paused ?? false,
    health: 'new',
    activeRunId: null,
    nextRunAt: null,
    lastRunAt: null,
    lastDurationMs: null,
    downReason: null,
    createdAt: now,
  };
  const nextRunAt = nextDue(scheduleOf(job), now);
  if (nextRunAt === null) throw invalidInput(`cronExpr never fires in ${job.timezone}`);
  return { ...job, nextRunAt: job.paused ? null : nextRunAt };
}

function definedName(name: string): string {
  if (name.trim() === '') throw invalidInput('name must not be blank');
  return name;
}

function definedRequest(input: JobInput, allowTargets: readonly AllowedTarget[]): JobRequest {
  const method = input.method ?? 'GET';
  const body = input.body ?? null;
  if (body !== null && !methodsWithBody.includes(method)) {
    throw invalidInput(
      `body is sent only with ${methodsWithBody.join(', ')}, got method ${method}`,
    );
  }
  if (body !== null && characterCount(body) > jobLimits.bodyLength) {
    throw new JobdError(
      'too_large',
      `body must be at most ${jobLimits.bodyLength} characters, got ${characterCount(body)}`,
    );
  }
  judgeUrl(input.url, allowTargets);
  checkHeaders(input.headers ?? {});
  return {
    url: input.url,
    method,
    headers: input.headers ?? {},
    body,
    timeoutSeconds: input.timeoutSeconds ?? 30,
    retries: input.retries ?? 0,
  };
}

function definedSchedule(input: JobInput, now: number): ScheduleFields {
  const scheduleType = input.scheduleType ?? 'cron';
  const periodSeconds = input.periodSeconds ?? null;
  const cronExpr = input.cronExpr ?? (scheduleType === 'cron' ? '0 * * * *' : null);
  if (scheduleType === 'period' && periodSeconds === null) {
    throw invalidInput('periodSeconds is required when scheduleType is period');
  }
  if (cronExpr !== null) parseCron(cronExpr);
  const timezone = canonicalZone(input.timezone ?? 'Europe/Paris');
  const anchorAt = Math.floor(now / 1_000) * 1_000;
  return { scheduleType, cronExpr, timezone, periodSeconds, anchorAt };
}

/** Host and port of a job's URL: what the limit on calls to one host counts by. */
export function hostOf(url: string): string {
  return new URL(url).host;
}
