/**
 * Health changes: a job or a monitor goes down, or comes up again (docs/behavior.md#alert-1). A job is down after a failed
 * run (its retries included) and up after a successful one. Missed and interrupted runs change nothing.
 */

import type { AlertData, AlertType } from './alert.ts';
import { newId } from '../id.ts';

/** What a health change is called, in the outbox and as an alert. */
export type HealthChangeType = 'job.failed' | 'job.recovered' | 'monitor.down' | 'monitor.up';

/** A health change as the outbox keeps it, written in the transaction of its cause. */
export interface HealthChange {
  id: string;
  type: HealthChangeType;
  workspaceId: string;
  /** The job or the monitor. */
  subjectId: string;
  /** The run that caused it; null for a monitor. */
  runId: string | null;
  /** Consecutive failures: 0 for a recovery, 1 for a monitor that is down. */
  failures: number;
  /** The data of the alert; null if it is read from job and run. */
  data: AlertData | null;
  /** Epoch milliseconds. */
  at: number;
}

/** Whether a job or monitor is up again. */
export function isRecovery({ type }: { type: AlertType }): boolean {
  return type === 'job.recovered' || type === 'monitor.up';
}

/** Whether it is of a monitor. A monitor is down at once, without a number of failures. */
export function isOfMonitor({ type }: Pick<HealthChange, 'type'>): boolean {
  return type === 'monitor.down' || type === 'monitor.up';
}

/** A health change that is held back, as JSON, once for each channel: without what is long, and read again (`findAlertData`). */
export function heldChange(change: HealthChange): string {
  return JSON.stringify(change, (key, value: unknown) => (long.has(key) ? undefined : value));
}

const long = new Set(['labels', 'responseBody', 'report']);

/** A run that ended; `finishedAt` in epoch milliseconds. */
interface Ended {
  jobId: string;
  runId: string;
  status: 'success' | 'failed' | 'interrupted';
  finishedAt: number;
}

/**
 * The health change that follows from a run of a job with `failuresBefore` consecutive failures; null if there is none.
 * Each further failure counts as one, as a channel may wait for that number of failures.
 */
export function jobHealthChange(
  { jobId, runId, status, finishedAt }: Ended,
  workspaceId: string,
  failuresBefore: number,
): HealthChange | null {
  const isUnchanged = status === 'success' ? failuresBefore === 0 : status === 'interrupted';
  if (isUnchanged) return null;
  const hasFailed = status === 'failed';
  return {
    id: newId(finishedAt),
    type: hasFailed ? 'job.failed' : 'job.recovered',
    workspaceId,
    subjectId: jobId,
    runId,
    failures: hasFailed ? failuresBefore + 1 : 0,
    data: null,
    at: finishedAt,
  };
}
