/** What an explanation is made of, with defaults for what a test does not set. */

import { readAskedTime } from '../../../src/wings/explain/reasons/asked-time.ts';
import type { ExplainedJob, Records } from '../../../src/wings/explain/reasons/facts.ts';
import type { MissedFacts, MissedReason } from '../../../src/domain/runs/reason.ts';
import type { RunSummary } from '../../../src/domain/runs/run.ts';

/** A job that is due at 02:30 in Paris since the beginning of November 2026. */
export function explainedJob(changes: Partial<ExplainedJob> = {}): ExplainedJob {
  const createdAt = changes.createdAt ?? Date.parse('2026-11-01T00:00:00Z');
  return {
    id: 'j',
    paused: false,
    after: null,
    activeRunId: null,
    nextRunAt: null,
    createdAt,
    scheduleType: 'cron',
    cronExpr: '30 2 * * *',
    timezone: 'Europe/Paris',
    periodSeconds: null,
    anchorAt: createdAt,
    timeoutSeconds: 30,
    retries: 0,
    ...changes,
  };
}

/** A run of that job that was due at `dueAt`, began 5 ms later and succeeded. */
export function explainedRun(dueAt: string, changes: Partial<RunSummary> = {}): RunSummary {
  const scheduledFor = Date.parse(dueAt);
  const startedAt = changes.startedAt === undefined ? scheduledFor + 5 : changes.startedAt;
  return {
    id: 'r',
    source: 'scheduled',
    status: 'success',
    scheduledFor,
    startedAt,
    finishedAt: startedAt === null ? null : startedAt + 100,
    attempts: 1,
    httpStatus: 200,
    durationMs: 100,
    reason: null,
    detail: null,
    ...changes,
  };
}

/** A missed run of that job. */
export function explainedMiss(
  dueAt: string,
  { reason = 'not_running', ...changes }: Partial<MissedFacts> & { reason?: MissedReason } = {},
): RunSummary {
  const first = Date.parse(dueAt);
  const missed = { first, last: first, count: 1, from: null, until: null, ...changes };
  const none = {
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    httpStatus: null,
    durationMs: null,
  };
  return explainedRun(dueAt, { status: 'missed', reason, missed, ...none });
}

/** Records of nothing but the job, asked at 12:00 UTC on 24 November 2026 about `at`. */
export function explainedRecords(at: string | null, changes: Partial<Records> = {}): Records {
  const now = changes.now ?? Date.parse('2026-11-24T12:00:00Z');
  const job = changes.job ?? explainedJob();
  return {
    now,
    asked: readAskedTime('at', at, { zone: job.timezone, now }),
    job,
    trail: { changes: [], completeSince: 0 },
    account: { plan: 'self-hosted', expiresAt: null, renewedAt: null },
    run: null,
    previous: null,
    manual: [],
    active: null,
    firstJob: null,
    oldestKept: null,
    inFlight: null,
    slots: { all: 256, perHost: 16 },
    startedAt: 0,
    served: null,
    deliveries: [],
    isWatched: true,
    target: { kind: 'allowed' },
    troubles: [],
    ...changes,
  };
}
