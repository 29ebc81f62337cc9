/** A monitor as the API shows it; alerts show it the same way. */

import { isoTime, isoTimeOrNull } from '../clock.ts';
import { shownValues } from '../fields.ts';
import type { Labels } from '../labels.ts';
import { monitorFields } from './fields.ts';
import { downReason, monitorStatus, type Monitor, type MonitorSettings } from './monitor.ts';
import type { DownReason, MonitorStatus } from './status.ts';

/** Without the ping URL, which is a secret. */
export interface MonitorDocument extends Omit<MonitorSettings, 'labels'> {
  labels?: Labels;
  id: string;
  status: MonitorStatus;
  downReason: DownReason | null;
  missedDueAt: string | null;
  nextDueAt: string | null;
  lastPingAt: string | null;
  lastDurationMs: number | null;
  createdAt: string;
}

/** The document of a monitor at `now`, in epoch milliseconds. */
export function monitorDocument(monitor: Monitor, now: number): MonitorDocument {
  return {
    id: monitor.id,
    ...shownValues(monitorFields, monitor),
    status: monitorStatus(monitor, now),
    downReason: downReason(monitor),
    missedDueAt: isoTimeOrNull(monitor.paused ? null : monitor.missedDueAt),
    nextDueAt: isoTimeOrNull(monitor.nextDueAt),
    lastPingAt: isoTimeOrNull(monitor.lastPingAt),
    lastDurationMs: monitor.lastDurationMs,
    createdAt: isoTime(monitor.createdAt),
  };
}
