/** Examples in the API description: one job, and the requests that create and change it. */

import { shownValues } from '../../domain/fields.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import { jobDefaults } from '../../domain/jobs/job.ts';

export const jobId = '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90';

export const jobInput = {
  name: 'Send reminders',
  url: 'https://app.example.com/reminders',
  method: 'POST',
  headers: { Authorization: 'Bearer s3cret', 'Content-Type': 'application/json' },
  body: '{"dryRun":false}',
  cronExpr: '30 7 * * mon-fri',
  timezone: 'Europe/Paris',
  timeoutSeconds: 20,
  retries: 2,
};

export const periodJobInput = {
  name: 'Warm the cache',
  url: 'https://app.example.com/warm',
  scheduleType: 'period',
  periodSeconds: 300,
};

export const jobUpdate = { cronExpr: '0 8 * * mon-fri', retries: 1 };
export const pauseUpdate = { action: 'pause' };

export const job = {
  id: jobId,
  ...shownValues(jobFields, { ...jobDefaults, ...jobInput }),
  headerNames: Object.keys(jobInput.headers),
  status: 'up',
  nextRunAt: '2025-10-10T05:30:00.000Z',
  lastRunAt: '2025-10-09T05:30:00.214Z',
  lastDurationMs: 412,
  downReason: null,
  createdAt: '2025-10-09T04:00:12.318Z',
};

/** The answer to `jobInput`: a new job has no runs. */
export const createdJob = {
  ...job,
  status: 'new',
  nextRunAt: '2025-10-09T05:30:00.000Z',
  lastRunAt: null,
  lastDurationMs: null,
};

/** The answer to `jobUpdate`. */
export const changedJob = { ...job, ...jobUpdate, nextRunAt: '2025-10-10T06:00:00.000Z' };

export const jobCopy = { name: 'Send reminders (test)' };

/** The answer to `jobCopy`. */
export const copiedJob = {
  ...createdJob,
  ...jobCopy,
  id: '0199c702-6a1d-7f03-8c5e-2d9b4a7c1e60',
  paused: true,
  status: 'paused',
  nextRunAt: null,
};

export const dueTimes = {
  words: 'At 07:30, Monday to Friday',
  next: ['2025-10-10T05:30:00.000Z', '2025-10-13T05:30:00.000Z', '2025-10-14T05:30:00.000Z'],
  notes: [],
};

export const chain = {
  after: { jobId: '0199c702-6a1d-7f03-8c5e-2d9b4a7c1e60', name: 'Import orders', on: 'success' },
  followers: [{ id: '0199c702-8b3e-7c14-9d6f-3e0c5b8d2f71', name: 'Report', on: 'finished' }],
};

/** The key of the job in definition files. */
export const jobKey = 'send-reminders';

export const jobActions = { action: 'pause', ids: [jobId] };
export const jobActionResult = { id: jobId, error: null, isOver: false };
export const jobActionResults = { results: [jobActionResult] };
