/**
 * Rescue: a run found `running` when the daemon starts belongs to a process that is gone. Whether its
 * target was reached is uncertain, so it is called interrupted and never sent again.
 */

import type { Clock } from '../../domain/clock.ts';
import { findRunningRuns, recordEndedRuns } from '../../store/runs/results.ts';
import type { Store } from '../../store/database/open.ts';
import { interruptedRun } from './claimed.ts';

/** Marks what a dead process left behind. Returns how many runs that were. */
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
