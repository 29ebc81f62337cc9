/** Examples in the API description: the workspace of the other examples. */

import { job, jobKey } from '../jobs/examples.ts';
import { monitor } from '../monitors/examples.ts';
import { listedRun } from '../runs/examples.ts';

export const overview = {
  jobs: { total: 1042, down: 3, running: 1, up: 1031, paused: 5, new: 3 },
  monitors: { total: 12, down: 0, late: 1, up: 11, paused: 0, new: 0, isPartial: false },
  lastDay: { failed: 14, interrupted: 0, missed: 2, isPartial: false },
  mutes: [],
  holds: [],
  asOf: '2025-10-09T05:43:50.108Z',
};

export const label = {
  key: 'client',
  value: 'acme',
  jobs: 12,
  down: 1,
  monitors: 3,
  monitorsDown: 0,
};

const { body: _b, headerNames: _h, timeoutSeconds: _t, retries: _r, ...shownJob } = job;
const { notes: _n, createdAt: _c, ...listedJob } = shownJob;

export const jobSummary = {
  ...listedJob,
  scheduleWords: 'At 07:30, Monday to Friday',
  health: 'up',
  failures: 0,
  failingSince: null,
  key: jobKey,
  recent: ['success', 'failed', 'success'],
};

const { pingUrl: _p, notes: _, createdAt: __, ...listedMonitor } = monitor;

export const monitorSummary = {
  ...listedMonitor,
  scheduleWords: 'At 02:30, every day',
  since: '2025-10-08T12:41:02.711Z',
  recent: ['success', 'success'],
};

export const trouble = {
  id: listedRun.id,
  kind: 'job',
  from: '2025-10-08T05:30:00.000Z',
  until: listedRun.scheduledFor,
  dueFrom: '2025-10-08T05:30:00.000Z',
  dueUntil: listedRun.scheduledFor,
  failed: 2,
  interrupted: 0,
  missed: 0,
  jobs: null,
  last: listedRun,
  now: 'down',
  since: '2025-10-08T05:30:14.201Z',
};

const isPartial = false;
const nextCursor = 'b3ZlcnZpZXctam9icy1uZXdlc3Qg';
export const jobList = { jobs: [jobSummary], nextCursor, isPartial };
export const monitorList = { monitors: [monitorSummary], nextCursor: null, isPartial };
