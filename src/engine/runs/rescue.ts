/**
 * Rescue: a run found `running` at the start belongs to a process that is gone. Nobody knows whether its target was
 * reached, so the run is interrupted and never sent again (docs/behavior.md#run-3).
 */

import type { Clock } from '../../domain/clock.ts';
import { findRunningRuns, recordEndedRuns } from '../../store/runs/results.ts';
import type { Store } from '../../store/database/open.ts';
import { interruptedRun } from './execution.ts';

/** Marks the runs of a dead process as interrupted. Returns how many there were. */
export async function rescueRuns(store: Store, clock: Clock): Promise<number> {
  return await store.write(async (tx) => {
    const now = clock.now();
    const left = await findRunningRuns(tx);
    const why = 'the process that executed it ended before the outcome was known';
    await recordEndedRuns(
      tx,
      left.map(({ startedAt, ...run }) =>
        // The wall clock may have been set back.
        interruptedRun(run, { why, attempts: run.attempts, finishedAt: Math.max(now, startedAt) }),
      ),
    );
    return left.length;
  });
}
