/** A job: what to call, when, and how it has been doing. */

import { nameRule, notesRule } from '../fields.ts';
import { defaultSchedule, scheduleRules } from '../schedule/schedule.ts';
import type { ScheduleFields, ScheduleSettings } from '../schedule/schedule.ts';
import type { After } from './after.ts';
import { signKinds } from './sign.ts';
import type { Signing } from './sign.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
export type Method = (typeof methods)[number];

/** The rules of each field by itself (docs/behavior.md#job-2); those of `headers` are in `headers.ts`. */
export const jobRules = {
  name: nameRule,
  url: { type: 'string', maxLength: 2_048 },
  method: { type: 'string', enum: methods },
  ...scheduleRules,
  timeoutSeconds: { type: 'integer', minimum: 1, maximum: 60 },
  retries: { type: 'integer', minimum: 0, maximum: 2 },
  awaitSeconds: { type: 'integer', minimum: 1, maximum: 86_400 },
  onResult: { type: 'string', maxLength: 2_048 },
  notes: notesRule,
  paused: { type: 'boolean' },
  sign: { type: 'string', enum: signKinds },
  audience: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

/** Longest body, in characters. A longer one is `too_large`. */
export const maxBodyLength = 32_768;

/** What a job has where nothing is given. A plan may allow a shorter timeout only. */
export const jobDefaults = {
  method: 'GET',
  headers: {},
  body: null,
  ...defaultSchedule,
  timeoutSeconds: 30,
  retries: 0,
  awaitSeconds: null,
  after: null,
  onResult: null,
  notes: '',
  paused: false,
  sign: null,
  audience: null,
} as const;

/** `new` until the first finished run, then that of the last one. Missed and interrupted runs change nothing. */
export type Health = 'new' | 'up' | 'down';
export type JobStatus = Health | 'paused' | 'running';
export const jobStatuses = ['new', 'up', 'down', 'paused', 'running'] as const;

/** What is sent at each call. */
export interface JobRequest extends Signing {
  url: string;
  method: Method;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  timeoutSeconds: number;
  retries: number;
  /** How long the target may take to report after an answer of 202; null if that answer ends the run. */
  awaitSeconds: number | null;
}

/** What people set of a job, whole. */
export interface EditableFields extends JobRequest, ScheduleSettings {
  name: string;
  notes: string;
  paused: boolean;
  /** The job that it runs after, instead of on its schedule. */
  after: After | null;
  /** The URL that its finished runs are posted to. */
  onResult: string | null;
}

/** Times are epoch milliseconds. `anchorAt` is the creation, or the last change or resumption of the schedule. */
export interface Job extends EditableFields, ScheduleFields {
  id: string;
  workspaceId: string;
  health: Health;
  /** Consecutive failures, after retries. */
  failures: number;
  /** The run that is executing. */
  activeRunId: string | null;
  nextRunAt: number | null;
  lastRunAt: number | null;
  lastDurationMs: number | null;
  downReason: string | null;
  createdAt: number;
}

/** The status of a job in one word (docs/behavior.md#job-8). */
export function jobStatus(job: Pick<Job, 'paused' | 'activeRunId' | 'health'>): JobStatus {
  if (job.paused) return 'paused';
  return job.activeRunId === null ? job.health : 'running';
}

/**
 * The host of a job's URL, which the limit on calls to one host counts by. It has no port, because one slow
 * host would otherwise have a limit for each of its ports.
 */
export function hostOf(url: string): string {
  return new URL(url).hostname;
}

/** Whether an update moves a job to another scheme, host or port, however they are written. An invalid URL moves nothing. */
export function leavesOrigin(job: Pick<Job, 'url'>, update: { url?: string }): boolean {
  const moved = update.url === undefined ? null : URL.parse(update.url);
  return moved !== null && moved.origin !== URL.parse(job.url)?.origin;
}
