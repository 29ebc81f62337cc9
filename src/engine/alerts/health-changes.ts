/** Health changes of jobs: written to the outbox with the runs that caused them, from what is known since their claims. */

import { jobHealthChange } from '../../domain/alerts/health-change.ts';
import type { HealthChange } from '../../domain/alerts/health-change.ts';
import { findThresholds, insertHealthChanges, updateFailures } from '../../store/alerts/outbox.ts';
import type { Db } from '../../store/database/store.ts';
import type { EndedRun } from '../../store/runs/results.ts';
import type { Execution } from '../runs/execution.ts';

/** A run that ended, with what is known of its job since the claim. */
export interface EndedClaim {
  ended: EndedRun;
  claimed: Pick<Execution, 'workspaceId' | 'failures' | 'scheduledFor'>;
}

/**
 * Writes the health changes of runs and their jobs' consecutive failures, in the transaction that records the runs. If
 * health did not change, no query runs. A further failure is kept only if some channel waits for that number of failures.
 * Returns how many changes were added to the outbox.
 */
export async function recordHealthChanges(tx: Db, runs: readonly EndedClaim[]): Promise<number> {
  const changes = runs
    .map(({ ended, claimed }) => jobHealthChange(ended, claimed.workspaceId, claimed.failures))
    .filter((change) => change !== null);
  if (changes.length === 0) return 0;
  const jobs = changes.map(({ subjectId, failures, at }) => ({ jobId: subjectId, failures, at }));
  await updateFailures(tx, jobs);
  const thresholds = changes.some(isFurther) ? await findThresholds(tx) : new Set<number>();
  const wanted = changes.filter((one) => !isFurther(one) || thresholds.has(one.failures));
  await insertHealthChanges(tx, wanted);
  return wanted.length;
}

function isFurther({ failures }: HealthChange): boolean {
  return failures > 1;
}
