/** Examples in the API description: the workspace of the other examples. */

import { job, jobKey } from '../jobs/examples.ts';
import { monitor } from '../monitors/examples.ts';

export const overview = {
  jobs: { total: 1042, down: 3, running: 1, up: 1031, paused: 5, new: 3 },
  monitors: { total: 12, down: 0, late: 1, up: 11, paused: 0, new: 0, isPartial: false },
  lastDay: { failed: 14, interrupted: 0, missed: 2, isPartial: false },
  asOf: '2025-10-09T05:43:50.108Z',
};

export const jobSummary = {
  id: job.id,
  name: job.name,
  url: job.url,
  method: job.method,
  scheduleType: job.scheduleType,
  cronExpr: job.cronExpr,
  timezone: job.timezone,
  periodSeconds: job.periodSeconds,
  paused: job.paused,
  status: job.status,
  nextRunAt: job.nextRunAt,
  lastRunAt: job.lastRunAt,
  lastDurationMs: job.lastDurationMs,
  downReason: job.downReason,
  scheduleWords: 'At 07:30, Monday to Friday',
  health: 'up',
  failures: 0,
  failingSince: null,
  key: jobKey,
  recent: ['success', 'failed', 'success'],
};

export const monitorSummary = {
  id: monitor.id,
  name: monitor.name,
  scheduleType: monitor.scheduleType,
  cronExpr: monitor.cronExpr,
  timezone: monitor.timezone,
  periodSeconds: monitor.periodSeconds,
  graceSeconds: monitor.graceSeconds,
  paused: monitor.paused,
  status: monitor.status,
  nextDueAt: monitor.nextDueAt,
  lastPingAt: monitor.lastPingAt,
  lastDurationMs: monitor.lastDurationMs,
  scheduleWords: 'At 02:30, every day',
  since: '2025-10-08T12:41:02.711Z',
  recent: ['success', 'success'],
};

const isPartial = false;
const nextCursor = 'b3ZlcnZpZXctam9icy1uZXdlc3Qg';
export const jobList = { jobs: [jobSummary], nextCursor, isPartial };
export const monitorList = { monitors: [monitorSummary], nextCursor: null, isPartial };
