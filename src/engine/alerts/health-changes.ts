/** Health changes of jobs: written to the outbox with the runs that caused them, from what is known since their claims. */

import { errorOf } from '../../domain/runs/reason.ts';
import { jobHealthChange, type HealthChange } from '../../domain/alerts/health-change.ts';
import { findThresholds, insertHealthChanges } from '../../store/alerts/outbox.ts';
import type { Db } from '../../store/database/store.ts';
import type { EndedRun, NewHealth } from '../../store/runs/ended.ts';
import type { Execution } from '../runs/execution.ts';

/** A run that ended, with what is known of its job since the claim. */
export interface EndedClaim {
  ended: EndedRun;
  claimed: Pick<Execution, 'workspaceId' | 'health' | 'failures' | 'scheduledFor'>;
}

/**
 * Writes changes of the health of jobs whose runs ended, in the transaction that records the runs. If nothing changed, no
 * query runs. A further failure is kept only if some channel waits for that number of failures.
 * Returns how many changes were added to the outbox.
 */
export async function recordHealthChanges(tx: Db, runs: readonly EndedClaim[]): Promise<number> {
  const changes = runs
    .map(({ ended, claimed }) => jobHealthChange(ended, claimed.workspaceId, claimed.failures))
    .filter((change) => change !== null);
  if (changes.length === 0) return 0;
  const thresholds = changes.some(isFurther) ? await findThresholds(tx) : new Set<number>();
  const wanted = changes.filter((one) => !isFurther(one) || thresholds.has(one.failures));
  await insertHealthChanges(tx, wanted);
  return wanted.length;
}

/** Health follows the last outcome; an interrupted run has none. Of each run that changes it, by its id. */
export function healthAfter(runs: readonly EndedClaim[]): Map<string, NewHealth> {
  const changed = new Map<string, NewHealth>();
  for (const { ended, claimed } of runs) {
    const { runId, status, finishedAt: at } = ended;
    if (status === 'failed') {
      const downReason = errorOf(ended)?.toWellFormed() ?? null;
      changed.set(runId, { health: 'down', downReason, failures: claimed.failures + 1, at });
    } else if (status === 'success' && claimed.health !== 'up')
      changed.set(runId, { health: 'up', downReason: null, failures: 0, at });
  }
  return changed;
}

function isFurther({ failures }: HealthChange): boolean {
  return failures > 1;
}
