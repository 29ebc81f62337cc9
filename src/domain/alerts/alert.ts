/** Alerts as a webhook gets them: a public format (docs/alerts.md#webhooks). */

import type { MonitorDocument } from '../monitors/document.ts';
import { runDocument } from '../runs/run.ts';
import type { RunDocument } from '../runs/run.ts';
import type { Run } from '../runs/run.ts';

/** `test` is what a person sends to see that a channel works. */
export const alertTypes = [
  'job.failed',
  'job.recovered',
  'monitor.down',
  'monitor.up',
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
  job?: { id: string; name: string; status: string; downReason: string | null };
  run?: RunDocument;
  monitor?: MonitorDocument;
  channel?: { id: string; name: string };
}

/** The data of an alert about a job, after the run that changed its health. */
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

/** The name and id of the job or monitor that an alert is about; nothing for a test, or a payload that is no alert. */
export function alertSubject(payload: string): Record<string, string> {
  try {
    const { job, monitor } = (JSON.parse(payload) as Alert).data;
    if (job !== undefined) return { job: job.name, jobId: job.id };
    return monitor === undefined ? {} : { monitor: monitor.name, monitorId: monitor.id };
  } catch {
    return {};
  }
}
