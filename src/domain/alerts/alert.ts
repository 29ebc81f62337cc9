/** Alerts as a webhook gets them: a public format (docs/alerts.md#webhooks). */

import { isoTime } from '../clock.ts';
import { timeOfId } from '../id.ts';
import type { Labels } from '../labels.ts';
import { jobStatus, type Job } from '../jobs/job.ts';
import type { MonitorDocument } from '../monitors/document.ts';
import { errorOf } from '../runs/reason.ts';
import { runDocument, type RunDocument, type Run } from '../runs/run.ts';

/** `run.finished` is what `onResult` of a job gets, and no alert; `reminder` says what is still down; `test` is what a person sends to see that a channel works. */
export const alertTypes = [
  'job.failed',
  'job.recovered',
  'monitor.down',
  'monitor.up',
  'job.missed',
  'job.interrupted',
  'run.finished',
  'reminder',
  'test',
] as const;
export type AlertType = (typeof alertTypes)[number];

export interface Alert {
  type: AlertType;
  /** When it happened: ISO 8601. */
  timestamp: string;
  data: AlertData;
}

/** Which fields are present depends on the type. */
export interface AlertData {
  /** Whose alert it is: signatures with the receipt key (`v1a`) do not say that. */
  workspace?: { id: string; name: string };
  job?: { id: string; name: string; status: string; downReason: string | null; labels?: Labels };
  run?: RunDocument;
  monitor?: MonitorDocument;
  channel?: { id: string; name: string };
  runs?: GatheredRuns;
  down?: StillDown;
}

/** Missed or interrupted runs that are reported together. Times are ISO 8601. */
export interface GatheredRuns {
  count: number;
  /** The earliest and the latest of their due times. */
  from: string;
  to: string;
  /** Why, each once; the first few of them. */
  reasons: readonly string[];
  /** The first of them whose jobs still exist. */
  first: { id: string; scheduledFor: string; job: { id: string; name: string } }[];
}

/** The jobs and monitors of a channel that are still down. */
export interface StillDown {
  count: number;
  /** Those that the channel has known to be down for longest. */
  first: DownSubject[];
}

/** A job or monitor that is down. */
export interface DownSubject {
  type: Subject['type'];
  id: string;
  name: string;
  /** ISO 8601. */
  since: string | null;
  /** Consecutive failures of a job; null for a monitor. */
  failures: number | null;
  reason: string | null;
}

/** The job or monitor that an alert is about. */
export interface Subject {
  type: 'job' | 'monitor';
  id: string;
  name: string;
}

/** What an alert is about; null if that is no job or monitor, or more than one. */
export function subjectOf({ job, monitor, runs, down }: AlertData): Subject | null {
  if (job !== undefined) return { type: 'job', id: job.id, name: job.name };
  if (monitor !== undefined) return { type: 'monitor', id: monitor.id, name: monitor.name };
  const [run] = runs?.count === 1 ? runs.first : [];
  if (run !== undefined) return { type: 'job', ...run.job };
  const [one] = down?.count === 1 ? down.first : [];
  return one === undefined ? null : { type: one.type, id: one.id, name: one.name };
}

/** What is kept of an alert, as JSON, once its delivery is over: of which runs it was. A result has its run beside it. */
export function spentAlert(payload: string): string {
  const first = runsOf(payload).map((id) => ({ id }));
  return first.length === 0 ? '' : JSON.stringify({ data: { runs: { first } } });
}

/** The ids of the runs that an alert, as JSON, is about: one by itself, or several. None for what is no alert. */
export function runsOf(payload: string): string[] {
  try {
    const { type, data } = JSON.parse(payload) as Alert;
    const runs = [data.run, ...(data.runs?.first ?? [])];
    return type === 'run.finished' ? [] : runs.flatMap((run) => run?.id ?? []);
  } catch {
    return [];
  }
}

/** What `onResult` of a job gets of a run that is over. */
export function runFinished(
  workspace: { id: string; name: string },
  job: Pick<Job, 'id' | 'name' | 'paused' | 'activeRunId' | 'health' | 'downReason' | 'labels'>,
  run: Run,
): Alert {
  const { id, name, downReason, labels } = job;
  return {
    type: 'run.finished',
    timestamp: isoTime(run.finishedAt ?? timeOfId(run.id)),
    data: {
      workspace,
      job: { id, name, status: jobStatus(job), downReason, ...(labels && { labels }) },
      run: runDocument(run),
    },
  };
}

/** The data of an alert about a job, after the run that changed its health. */
export function jobAlertData(
  job: { id: string; name: string; paused: boolean; labels: Labels | null },
  run: Run,
): AlertData {
  const health = run.status === 'failed' ? 'down' : 'up';
  return {
    job: {
      id: job.id,
      name: job.name,
      status: job.paused ? 'paused' : health,
      downReason: errorOf(run),
      ...(job.labels && { labels: job.labels }),
    },
    run: runDocument(run),
  };
}
