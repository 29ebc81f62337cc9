/** Examples in the API description: runs of the example job. */

import { job, jobId } from '../jobs/examples.ts';
import { report, endOfWait } from './report-examples.ts';

export const runId = '0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63';

export const run = {
  id: runId,
  jobId,
  source: 'scheduled',
  status: 'success',
  scheduledFor: '2025-10-09T05:30:00.000Z',
  startedAt: '2025-10-09T05:30:00.214Z',
  finishedAt: '2025-10-09T05:30:00.626Z',
  attempts: 1,
  httpStatus: 200,
  durationMs: 412,
  responseBody: '{"sent":37}',
  truncated: false,
  error: null,
};

const { jobId: _, responseBody: _body, truncated: _truncated, ...runSummary } = run;
export { runSummary };

/** The example run, whose target answered 202 and was reported by a person. */
export const reportedRun = {
  ...run,
  status: 'running',
  finishedAt: null,
  httpStatus: 202,
  durationMs: null,
  responseBody: '',
  report: {
    ...report,
    outcome: endOfWait.status,
    reportedAt: '2025-10-09T06:12:40.310Z',
    reportedBy: 'person',
    message: endOfWait.message,
  },
};

const queuedRun = {
  ...run,
  id: '0199c701-2b9c-7e41-a5f2-6c8d0e3b9f17',
  source: 'manual',
  status: 'queued',
  scheduledFor: '2025-10-09T05:43:50.108Z',
  startedAt: null,
  finishedAt: null,
  attempts: 0,
  httpStatus: null,
  durationMs: null,
  responseBody: null,
};

export const runList = {
  runs: [run],
  nextCursor: 'MDE5OWM2ZjQtODFkMC03YzM1',
  totals: { queued: 0, running: 0, success: 128, failed: 3, interrupted: 0, missed: 1 },
};
export const queued = {
  run: queuedRun,
  resultUrl: `https://jobs.example.com/api/v1/jobs/${jobId}/runs/${queuedRun.id}`,
};

export const listedRun = {
  ...runSummary,
  status: 'failed',
  attempts: 3,
  httpStatus: 502,
  error: 'http: 502',
  job: { id: job.id, name: job.name },
};
export const allRuns = { runs: [listedRun], nextCursor: null, isPartial: false };

export const runHistory = {
  runs: [
    {
      ...runSummary,
      status: 'failed',
      httpStatus: 502,
      error: 'http: 502',
    },
  ],
  nextCursor: null,
  isPartial: false,
};

export const dayOfRuns = {
  date: '2025-10-09',
  success: 1,
  failed: 0,
  interrupted: 0,
  missed: 0,
  medianMs: 412,
  maxMs: 412,
};
export const jobDays = { days: [dayOfRuns], since: '2025-10-09T05:30:00.000Z', isPartial: false };
