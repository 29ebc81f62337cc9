/** Health changes of jobs: written to the outbox with the runs that caused them, from what is known since their claims. */

import { errorOf } from '../../domain/runs/reason.ts';
import { jobHealthChange, type HealthChange } from '../../domain/alerts/health-change.ts';
import { findThresholds, insertHealthChanges, updateHealth } from '../../store/alerts/outbox.ts';
import type { NewHealth } from '../../store/alerts/outbox.ts';
import type { Db } from '../../store/database/store.ts';
import type { EndedRun } from '../../store/runs/ended.ts';
import type { Execution } from '../runs/execution.ts';

/** A run that ended, with what is known of its job since the claim. */
export interface EndedClaim {
  ended: EndedRun;
  claimed: Pick<Execution, 'workspaceId' | 'health' | 'failures' | 'scheduledFor'>;
}

/**
 * Writes the health of jobs whose runs ended, and its changes, in the transaction that records the runs. If
 * nothing changed, no query runs. A further failure is kept only if some channel waits for that number of failures.
 * Returns how many changes were added to the outbox.
 */
export async function recordHealthChanges(tx: Db, runs: readonly EndedClaim[]): Promise<number> {
  await updateHealth(
    tx,
    runs.map(healthAfter).filter((one) => one !== null),
  );
  const changes = runs
    .map(({ ended, claimed }) => jobHealthChange(ended, claimed.workspaceId, claimed.failures))
    .filter((change) => change !== null);
  if (changes.length === 0) return 0;
  const thresholds = changes.some(isFurther) ? await findThresholds(tx) : new Set<number>();
  const wanted = changes.filter((one) => !isFurther(one) || thresholds.has(one.failures));
  await insertHealthChanges(tx, wanted);
  return wanted.length;
}

/** Health follows the last outcome; an interrupted run has none. Null if it stays as it was. */
function healthAfter({ ended, claimed }: EndedClaim): NewHealth | null {
  const { jobId, status, finishedAt: at } = ended;
  const isSame = status === 'success' ? claimed.health === 'up' : status === 'interrupted';
  if (isSame) return null;
  if (status === 'success') return { jobId, health: 'up', downReason: null, failures: 0, at };
  const downReason = errorOf(ended)?.toWellFormed() ?? null;
  return { jobId, health: 'down', downReason, failures: claimed.failures + 1, at };
}

function isFurther({ failures }: HealthChange): boolean {
  return failures > 1;
}
