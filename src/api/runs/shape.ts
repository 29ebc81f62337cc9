/** Runs and days as lists of the API return them. */

import type { ListedRun } from '../../app/runs/all-runs.ts';
import type { Days } from '../../app/runs/history.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import type { RunSummary } from '../../domain/runs/run.ts';
import type * as contract from './contract.ts';

/** A run in a list. */
export function runSummaryShape(run: RunSummary): contract.RunSummary {
  return {
    id: run.id,
    source: run.source,
    status: run.status,
    scheduledFor: isoTime(run.scheduledFor),
    startedAt: isoTimeOrNull(run.startedAt),
    finishedAt: isoTimeOrNull(run.finishedAt),
    attempts: run.attempts,
    httpStatus: run.httpStatus,
    durationMs: run.durationMs,
    error: run.error,
    ...(run.causedBy !== undefined && { causedBy: run.causedBy }),
  };
}

/** A run in a list, with its job. */
export function listedRunShape(run: ListedRun): contract.ListedRun {
  return { ...runSummaryShape(run), job: { id: run.jobId, name: run.jobName } };
}

/** The days of a job. */
export function daysShape({ days, since, isPartial }: Days): contract.JobDays {
  return { days, since: isoTimeOrNull(since), isPartial };
}
