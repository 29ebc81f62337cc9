/**
 * Rescue: a run found `running` when the daemon starts belongs to a process that is gone. Whether its
 * target was reached is uncertain, so it is called interrupted and never sent again (spec section 3.2).
 */

import { findRunningRuns, recordEndedRuns } from '../store/results.ts';
import type { Store } from '../store/open.ts';
import { interruptedRun } from './claimed.ts';

/** Marks what a dead process left behind. Returns how many runs that were. */
export async function rescueRuns(store: Store): Promise<number> {
  return await store.write(async (tx) => {
    const left = await findRunningRuns(tx);
    const error = 'the process that executed it ended before the outcome was known';
    await recordEndedRuns(
      tx,
      // Nobody knows how many attempts were sent; one may have been.
      left.map((run) => interruptedRun(run, error, 1)),
    );
    return left.length;
  });
}
