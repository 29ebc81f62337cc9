/** Examples in the API description: one monitor and its pings. */

import { shownValues } from '../../domain/fields.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import { monitorDefaults } from '../../domain/monitors/monitor.ts';

export const pingId = '5c1f0f5e-8f63-4a39-9d0c-7a1d52b4e9f8';

export const monitorInput = {
  name: 'Nightly backup',
  cronExpr: '30 2 * * *',
  timezone: 'Europe/Paris',
  graceSeconds: 1800,
};

export const periodMonitorInput = {
  name: 'Queue worker',
  scheduleType: 'period',
  periodSeconds: 600,
};

export const monitorUpdate = { graceSeconds: 3600 };

export const monitor = {
  id: '0199c710-6a3e-7d52-8b0f-2e9c4a7d1f36',
  ...shownValues(monitorFields, { ...monitorDefaults, ...monitorInput }),
  status: 'up',
  downReason: null,
  missedDueAt: null,
  pingUrl: `https://jobs.example.com/ping/${pingId}`,
  nextDueAt: '2025-10-10T00:30:00.000Z',
  lastPingAt: '2025-10-09T00:41:07.532Z',
  lastDurationMs: 666_418,
  createdAt: '2025-10-08T12:03:44.120Z',
};

/** The answer to `monitorInput`: nothing is expected before the first ping. */
export const createdMonitor = {
  ...monitor,
  status: 'new',
  nextDueAt: null,
  lastPingAt: null,
  lastDurationMs: null,
};

/** The answer to `monitorUpdate`. */
export const changedMonitor = { ...monitor, ...monitorUpdate };

export const ping = {
  id: '0199c45f-0bdc-7f24-b1a3-6d5e8c0f4a27',
  kind: 'success',
  exitCode: 0,
  receivedAt: monitor.lastPingAt,
  durationMs: monitor.lastDurationMs,
  body: null,
  truncated: false,
  source: 'POST',
};

export const pingList = { pings: [ping], nextCursor: 'MDE5OWM2ZjQtODFkMC03YzM1' };
