/** A monitor as the API shows it; alerts show it the same way. */

import { isoTime, isoTimeOrNull } from '../clock.ts';
import { monitorStatus } from './monitor.ts';
import type { Monitor } from './monitor.ts';
import type { MonitorStatus } from './status.ts';
import type { ScheduleSettings } from '../schedule/schedule.ts';

/** Without the ping URL, which is a secret. */
export interface MonitorDocument extends ScheduleSettings {
  id: string;
  name: string;
  graceSeconds: number;
  status: MonitorStatus;
  nextDueAt: string | null;
  lastPingAt: string | null;
  lastDurationMs: number | null;
  notes: string;
  paused: boolean;
  createdAt: string;
}

/** The document of a monitor at `now`, in epoch milliseconds. */
export function monitorDocument(monitor: Monitor, now: number): MonitorDocument {
  return {
    id: monitor.id,
    name: monitor.name,
    scheduleType: monitor.scheduleType,
    cronExpr: monitor.cronExpr,
    timezone: monitor.timezone,
    periodSeconds: monitor.periodSeconds,
    graceSeconds: monitor.graceSeconds,
    status: monitorStatus(monitor, now),
    nextDueAt: isoTimeOrNull(monitor.nextDueAt),
    lastPingAt: isoTimeOrNull(monitor.lastPingAt),
    lastDurationMs: monitor.lastDurationMs,
    notes: monitor.notes,
    paused: monitor.paused,
    createdAt: isoTime(monitor.createdAt),
  };
}
