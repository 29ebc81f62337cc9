/** A job: what to call, when, and how it has been doing. */

import { defaultsOf, type FieldValue, type ValuesOf } from '../fields.ts';
import { defaultSchedule, type ScheduleFields } from '../schedule/schedule.ts';
import type { After } from './after.ts';
import { jobFields } from './fields.ts';

export type Method = FieldValue<typeof jobFields.method>;

/** What a job has where nothing is given. A plan may allow a shorter timeout only. */
export const jobDefaults = { ...defaultsOf(jobFields), ...defaultSchedule };

/** What a job has that is made to be called once (docs/behavior.md#once-2, docs/behavior.md#once-4). One that becomes it loses nothing. */
export const usualOfOnce = { deleteAfterSeconds: 604_800, makeUpSeconds: 3_600 };
/** What it has instead if a file makes it and leaves them out: then they are off, as each later apply of the file says. */
export const offOfOnce = { deleteAfterSeconds: null, makeUpSeconds: null };

/** Whether a job is due once, or after another one. A schedule is then kept for later, and is no part of its definition. */
export function hasIdleSchedule({ runAt, after }: { runAt?: unknown; after?: unknown }): boolean {
  return (runAt ?? after ?? null) !== null;
}

/** `new` until the first finished run, then that of the last one. Missed and interrupted runs change nothing. */
export type Health = 'new' | 'up' | 'down';
export type JobStatus = Health | 'paused' | 'running';
export const jobStatuses = ['new', 'up', 'down', 'paused', 'running'] as const;

/** What people set of a job, whole, as its table says (`fields.ts`). */
export interface EditableFields extends Omit<
  ValuesOf<typeof jobFields>,
  'headers' | 'after' | 'onResultSecret'
> {
  headers: Readonly<Record<string, string>>;
  after: After | null;
}

/** What is sent at each call. */
export type JobRequest = Pick<
  EditableFields,
  | 'url'
  | 'method'
  | 'headers'
  | 'body'
  | 'timeoutSeconds'
  | 'retries'
  | 'reportWithinSeconds'
  | 'sign'
  | 'audience'
>;

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

/** The host that the limit on calls to one host counts by, without port: one slow host would have a limit for each of its ports. */
export function hostOf(url: string): string {
  return new URL(url).hostname;
}

/** Whether an update moves a job to another scheme, host or port, however they are written. An invalid URL moves nothing. */
export function leavesOrigin(job: Pick<Job, 'url'>, update: { url?: string }): boolean {
  const moved = update.url === undefined ? null : URL.parse(update.url);
  return moved !== null && moved.origin !== URL.parse(job.url)?.origin;
}
