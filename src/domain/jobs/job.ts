/** A job: what to call, when, and how it has been doing. */

import type { Schedule } from '../schedule/schedule.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
export type Method = (typeof methods)[number];

export const scheduleTypes = ['cron', 'period'] as const;
export type ScheduleType = (typeof scheduleTypes)[number];

/** What an update may ask for besides changes of fields (docs/behavior.md#job-7). */
export const jobActions = ['pause', 'resume'] as const;
export type JobAction = (typeof jobActions)[number];

/** Bounds of the fields (docs/behavior.md#job-2); lengths in characters (code points). */
export const jobLimits = {
  nameLength: 120,
  notesLength: 4_000,
  bodyLength: 32_768,
  urlLength: 2_048,
  periodSeconds: { min: 60, max: 31_536_000 },
  timeoutSeconds: { min: 1, max: 60 },
  retries: { min: 0, max: 2 },
} as const;

/** `new` until the first finished run, then by the last one; missed and interrupted change nothing. */
export type Health = 'new' | 'up' | 'down';
export type JobStatus = Health | 'paused' | 'running';
export const jobStatuses = ['new', 'up', 'down', 'paused', 'running'] as const;

/** What is sent at each call. */
export interface JobRequest {
  url: string;
  method: Method;
  headers: Readonly<Record<string, string>>;
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
  /** Failures in a row, after retries. */
  failures: number;
  /** The run that executes now. */
  activeRunId: string | null;
  nextRunAt: number | null;
  lastRunAt: number | null;
  lastDurationMs: number | null;
  downReason: string | null;
  createdAt: number;
}

/** The one word that says how a job is (docs/behavior.md#job-8). */
export function jobStatus(job: Job): JobStatus {
  if (job.paused) return 'paused';
  return job.activeRunId === null ? job.health : 'running';
}

/** The fields of a job that say when it is due. */
export type ScheduleFields = Pick<
  Job,
  'scheduleType' | 'cronExpr' | 'timezone' | 'periodSeconds' | 'anchorAt'
>;

/** The schedule of a job. Throws if the fields contradict each other, which job-input.ts prevents. */
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

/** Whether two schedules are due by the same rule, wherever their periods are counted from. */
export function sameSchedule(
  before: Omit<ScheduleFields, 'anchorAt'>,
  after: Omit<ScheduleFields, 'anchorAt'>,
): boolean {
  if (before.scheduleType !== after.scheduleType) return false;
  return after.scheduleType === 'period'
    ? before.periodSeconds === after.periodSeconds
    : before.cronExpr === after.cronExpr && before.timezone === after.timezone;
}

/**
 * The host of a job's URL: what the limit on calls to one host counts by. The port is left out, or
 * one slow host would have a limit for each of its ports.
 */
export function hostOf(url: string): string {
  return new URL(url).hostname;
}

/** Whether an update moves a job to another scheme, host or port, however these are written. A URL that is none moves nothing. */
export function leavesOrigin(job: Pick<Job, 'url'>, update: { url?: string }): boolean {
  const moved = update.url === undefined ? null : URL.parse(update.url);
  return moved !== null && moved.origin !== URL.parse(job.url)?.origin;
}
