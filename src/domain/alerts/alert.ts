/**
 * Alerts tell of edges, not of levels: that a job began to fail, and that it works again (docs/behavior.md#alert-1).
 * What counts is the number of failures in a row, after retries; missed and interrupted runs change nothing.
 */

import type { MonitorDocument } from '../monitors/document.ts';
import { runDocument } from '../runs/run.ts';
import type { RunDocument } from '../runs/run.ts';
import type { Run } from '../runs/run.ts';

/** What can happen to a job or a monitor that people want to hear of. */
const edgeTypes = ['job.failed', 'job.recovered', 'monitor.down', 'monitor.up'] as const;
export type EdgeType = (typeof edgeTypes)[number];

/** What an alert may be of; `test` is what a person sends to see that a channel works. */
export const alertTypes = [...edgeTypes, 'test'] as const;
export type AlertType = (typeof alertTypes)[number];

/** An edge as it is kept in the outbox, in the transaction that records it. */
export interface Edge {
  id: string;
  type: EdgeType;
  workspaceId: string;
  /** The job or the monitor. */
  subjectId: string;
  /** The run that made it; null for a monitor. */
  runId: string | null;
  /** Consecutive failures: 0 for a recovery, 1 for a monitor that is down. */
  failures: number;
  /** What the alert tells, if it is not read from job and run. */
  data: AlertData | null;
  /** Epoch milliseconds. */
  at: number;
}

/** What an alert tells, by what it is of. */
export interface AlertData {
  /** Whose alert it is: signatures by key (`v1a`) are the same for all workspaces. */
  workspace?: { id: string; name: string };
  job?: { id: string; name: string; status: string; downReason: string | null };
  run?: RunDocument;
  monitor?: MonitorDocument;
  channel?: { id: string; name: string };
}

/** An alert as a webhook gets it: a public format. */
export interface Alert {
  type: AlertType;
  /** When it happened: ISO 8601. */
  timestamp: string;
  data: AlertData;
}

/** Whether an edge says that a job or monitor works again. */
export function isRecovery({ type }: Pick<Edge, 'type'>): boolean {
  return type === 'job.recovered' || type === 'monitor.up';
}

/** Whether an edge is of a monitor: it is down at once, after no number of failures. */
export function isMonitorEdge({ type }: Pick<Edge, 'type'>): boolean {
  return type === 'monitor.down' || type === 'monitor.up';
}

/** Failures in a row after a run, which follows `before` of them. */
export function failuresAfter(
  before: number,
  status: 'success' | 'failed' | 'interrupted',
): number {
  if (status === 'failed') return before + 1;
  return status === 'success' ? 0 : before;
}

/**
 * What there is to tell when failures in a row change. Every failure is an edge for the channels that ask
 * for just so many of them; the first one for most.
 */
export function alertsFor(before: number, after: number): 'job.failed' | 'job.recovered' | null {
  if (after > before) return 'job.failed';
  return before > 0 && after === 0 ? 'job.recovered' : null;
}

/** What an alert tells of a job and the run that changed its health. */
export function jobAlertData(
  job: { id: string; name: string; paused: boolean },
  run: Run,
): AlertData {
  const health = run.status === 'failed' ? 'down' : 'up';
  return {
    job: {
      id: job.id,
      name: job.name,
      status: job.paused ? 'paused' : health,
      downReason: run.error,
    },
    run: runDocument(run),
  };
}
