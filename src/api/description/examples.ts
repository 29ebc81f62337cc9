/** What the published description shows: one job, its runs, and what is sent to make them. */

const jobId = '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90';
const runId = '0199c6f4-81d0-7c35-8e6b-1f4d9a2b7c63';
const manualRunId = '0199c701-2b9c-7e41-a5f2-6c8d0e3b9f17';
const cursor = 'MDE5OWM2ZjQtODFkMC03YzM1';

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

/** The same service can be called at a fixed interval. */
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
  name: jobInput.name,
  url: jobInput.url,
  method: jobInput.method,
  headerNames: Object.keys(jobInput.headers),
  body: jobInput.body,
  scheduleType: 'cron',
  cronExpr: jobInput.cronExpr,
  timezone: jobInput.timezone,
  periodSeconds: null,
  timeoutSeconds: jobInput.timeoutSeconds,
  retries: jobInput.retries,
  notes: '',
  paused: false,
  status: 'up',
  nextRunAt: '2025-10-10T05:30:00.000Z',
  lastRunAt: '2025-10-09T05:30:00.214Z',
  lastDurationMs: 412,
  downReason: null,
  createdAt: '2025-10-09T04:00:12.318Z',
};

/** What `jobInput` is answered: a new job has no runs. */
export const createdJob = {
  ...job,
  status: 'new',
  nextRunAt: '2025-10-09T05:30:00.000Z',
  lastRunAt: null,
  lastDurationMs: null,
};

/** What `jobUpdate` is answered. */
export const changedJob = { ...job, ...jobUpdate, nextRunAt: '2025-10-10T06:00:00.000Z' };

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

const queuedRun = {
  ...run,
  id: manualRunId,
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

export const jobResponse = { job };
export const runResponse = { run };
export const jobList = { jobs: [job], nextCursor: null };
export const runList = {
  runs: [run],
  nextCursor: cursor,
  totals: { queued: 0, running: 0, success: 128, failed: 3, interrupted: 0, missed: 1 },
};
export const queued = {
  run: queuedRun,
  resultUrl: `https://jobs.example.com/api/v1/jobs/${jobId}/runs/${manualRunId}`,
};

export const previewInput = {
  cronExpr: '30 2 * * *',
  timezone: 'Europe/Paris',
  count: 3,
  from: '2026-03-28T00:00:00Z',
};

export const periodPreviewInput = { scheduleType: 'period', periodSeconds: 300 };

/** What `previewInput` is answered. */
export const preview = {
  next: ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
  notes: ['2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:00 instead'],
};

export const me = {
  workspace: { id: '0199c6a0-1b2c-7d3e-8f40-51627384a5b6', name: 'production' },
  permission: 'write',
  plan: {
    name: 'pro',
    jobs: 100,
    minIntervalSeconds: 60,
    maxTimeoutSeconds: 30,
    results: 10_000,
    retentionDays: 90,
  },
  usage: { jobs: 37, monitors: 0, results: 8_212 },
  trialEndsAt: '2025-10-23T00:00:00.000Z',
};

const monitorId = '0199c710-6a3e-7d52-8b0f-2e9c4a7d1f36';

export const monitorInput = {
  name: 'Nightly backup',
  cronExpr: '30 2 * * *',
  timezone: 'Europe/Paris',
  graceSeconds: 1800,
};

/** A task that runs at a fixed interval. */
export const periodMonitorInput = {
  name: 'Queue worker',
  scheduleType: 'period',
  periodSeconds: 600,
};

export const monitorUpdate = { graceSeconds: 3600 };

export const monitor = {
  id: monitorId,
  name: monitorInput.name,
  scheduleType: 'cron',
  cronExpr: monitorInput.cronExpr,
  timezone: monitorInput.timezone,
  periodSeconds: null,
  graceSeconds: monitorInput.graceSeconds,
  status: 'up',
  pingUrl: 'https://jobs.example.com/ping/5c1f0f5e-8f63-4a39-9d0c-7a1d52b4e9f8',
  nextDueAt: '2025-10-10T00:30:00.000Z',
  lastPingAt: '2025-10-09T00:41:07.532Z',
  lastDurationMs: 666_418,
  notes: '',
  paused: false,
  createdAt: '2025-10-08T12:03:44.120Z',
};

/** What `monitorInput` is answered: nothing is expected before the first ping. */
export const createdMonitor = {
  ...monitor,
  status: 'new',
  nextDueAt: null,
  lastPingAt: null,
  lastDurationMs: null,
};

/** What `monitorUpdate` is answered. */
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

export const monitorResponse = { monitor };
export const monitorList = { monitors: [monitor], nextCursor: null };
export const pingList = { pings: [ping], nextCursor: cursor };

/** The key of RFC 8037, appendix A; the example receipt is really signed with it. */
const publicKey = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const keyId = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

export const receipt = {
  algorithm: 'Ed25519',
  keyId,
  publicKey,
  payload: {
    version: 1,
    issuer: 'https://jobs.example.com',
    runId,
    jobId,
    source: run.source,
    status: run.status,
    scheduledFor: run.scheduledFor,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    attempts: run.attempts,
    httpStatus: run.httpStatus,
    durationMs: run.durationMs,
    responseSha256: '2cc6ca9814e44d890e5d885b6793aa21143e1b3a39eefc0dfeeeb2798dcf1f6f',
    responseBytes: 11,
    truncated: false,
    issuedAt: '2025-10-09T05:30:00.641Z',
    previousReceiptSha256: null,
  },
  signature:
    'n-ZBU36yC8FNWD46OSssCPA_swSzKFfA4fSozMdOLLpHCwhPtAqDVwpvHhz3IL9DXiqOmpaN1T0ouvL2CoskBQ',
};

export const receiptKey = {
  algorithm: 'Ed25519',
  keyId,
  publicKey,
  jwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey },
  pem: '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n',
};

export const receiptKeys = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: publicKey, kid: keyId, use: 'sig', alg: 'EdDSA' }],
};

export const error = { error: 'periodSeconds must be between 60 and 31536000, got 30' };
