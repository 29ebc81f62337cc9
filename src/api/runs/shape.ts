import type { ListedRun } from '../../app/runs/all-runs.ts';
import type { Days } from '../../app/runs/history.ts';
import { isoTimeOrNull } from '../../domain/clock.ts';
import { runSummaryDocument } from '../../domain/runs/run.ts';
import type * as contract from './contract.ts';

/** A run in a list, with its job. */
export function listedRunShape(run: ListedRun): contract.ListedRun {
  return { ...runSummaryDocument(run), job: { id: run.jobId, name: run.jobName } };
}

/** The days of a job. */
export function daysShape({ days, since, isPartial }: Days): contract.JobDays {
  return { days, since: isoTimeOrNull(since), isPartial };
}
