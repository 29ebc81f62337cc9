/**
 * Rescue: a run found `running` when the daemon starts belongs to a process that is gone. Whether its
 * target was reached is uncertain, so it is called interrupted and never sent again (spec section 3.2).
 */

import { findRunningRuns, recordEndedRuns } from '../store/results.ts';
import type { EndedRun } from '../store/results.ts';
import type { Store } from '../store/open.ts';

/** Marks what a dead process left behind. Returns how many runs that were. */
export async function rescueRuns(store: Store): Promise<number> {
  return await store.write(async (tx) => {
    const left = await findRunningRuns(tx);
    const error = 'the process that executed it ended before the outcome was known';
    await recordEndedRuns(
      tx,
      left.map((run) => interruptedRun(run, error, 0)),
    );
    return left.length;
  });
}

/** A run that ends without an outcome; `why` is a clause for people. */
export function interruptedRun(
  run: { runId: string; jobId: string },
  why: string,
  attempts: number,
): EndedRun {
  return {
    runId: run.runId,
    jobId: run.jobId,
    status: 'interrupted',
    finishedAt: null,
    durationMs: null,
    attempts,
    httpStatus: null,
    responseBody: null,
    truncated: false,
    error: `interrupted: ${why}`,
  };
}
