/** When jobs delete themselves that are due no more (docs/behavior.md#once-4). */

import { msPerDay } from '../clock.ts';
import type { Job } from './job.ts';

/** When a job is looked at first: `deleteAfterSeconds` after it is due last, epoch milliseconds; null if it never deletes itself. */
export function deletionAt({
  runAt,
  notAfter,
  deleteAfterSeconds,
}: Pick<Job, 'runAt' | 'notAfter' | 'deleteAfterSeconds'>): number | null {
  const last = runAt ?? notAfter;
  if (last === null || deleteAfterSeconds === null) return null;
  return Date.parse(last) + deleteAfterSeconds * 1000;
}

/** Whether the time of a one-time job is over, and nothing called it; times may be of any kind. */
export function isUncalled(job: {
  runAt?: string | null;
  paused: boolean;
  nextRunAt: unknown;
  lastRunAt: unknown;
  status: string;
}): boolean {
  const isOver = job.nextRunAt === null && job.lastRunAt === null && job.status !== 'running';
  return Boolean(job.runAt) && !job.paused && isOver;
}

/** What decides whether a job is deleted. */
export interface SpentJob extends Pick<Job, 'lastRunAt' | 'lastDurationMs' | 'deleteAfterSeconds'> {
  /** Whether it is paused, or runs after another job. */
  isOffSchedule: boolean;
  /** Whether a run of it waits or executes, a job runs after it, or a result of it is to be posted. */
  isNeeded: boolean;
}

/** When to look at a job again, in epoch milliseconds; null if it is to be deleted at `now`. */
export function judgeDeletion(job: SpentJob, now: number): number | null {
  // It waits for somebody, who may take long.
  if (job.isOffSchedule) return now + msPerDay;
  if (job.isNeeded) return now + 60_000;
  const deleteAt = keptUntil(job);
  return deleteAt > now ? deleteAt : null;
}

/** `deleteAfterSeconds` after the last run ended, in epoch milliseconds. */
export function keptUntil({
  lastRunAt,
  lastDurationMs,
  deleteAfterSeconds,
}: Pick<Job, 'lastRunAt' | 'lastDurationMs' | 'deleteAfterSeconds'>): number {
  return (lastRunAt ?? 0) + (lastDurationMs ?? 0) + (deleteAfterSeconds ?? 0) * 1000;
}
