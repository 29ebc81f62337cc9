/** Runs as they begin and end, with defaults for fields that a test does not set. */

import { newId } from '../../../src/domain/id.ts';
import { queuedRun as newQueuedRun } from '../../../src/domain/runs/run.ts';
import type { Run } from '../../../src/domain/runs/run.ts';
import type { ScheduledRun } from '../../../src/store/runs/claims.ts';
import type { EndedRun } from '../../../src/store/runs/results.ts';

/** A manual run at `now` (epoch milliseconds). */
export function queuedRun(jobId: string, now: number): Run {
  return newQueuedRun(newId(now), jobId, now);
}

/** A run of the due time `dueAt` (epoch milliseconds) that starts right then. */
export function startingRun(jobId: string, dueAt: number): ScheduledRun {
  const id = newId(dueAt);
  return {
    id,
    jobId,
    status: 'running',
    scheduledFor: dueAt,
    startedAt: dueAt,
    attempts: 1,
    error: null,
    lastDueAt: null,
    nodeId: null,
  };
}

/** A run of the due time `dueAt` (epoch milliseconds) that was not called. */
export function missedRun(jobId: string, dueAt: number): ScheduledRun {
  const error = 'missed: 1 due time';
  const begun = startingRun(jobId, dueAt);
  return { ...begun, status: 'missed', startedAt: null, attempts: 0, error, lastDueAt: dueAt };
}

/** The result of a run that ended in this state; `changes` are the fields of interest. */
export function endedRun(
  runId: string,
  jobId: string,
  status: EndedRun['status'],
  changes: Partial<EndedRun> = {},
): EndedRun {
  const errors = { success: null, failed: 'http: 500', interrupted: 'interrupted: by the test' };
  const known = status !== 'interrupted';
  return {
    runId,
    jobId,
    status,
    finishedAt: 2,
    durationMs: known ? 1 : null,
    attempts: 1,
    httpStatus: known ? (status === 'success' ? 200 : 500) : null,
    responseBody: known ? 'ok' : null,
    truncated: false,
    error: errors[status],
    ...changes,
  };
}
