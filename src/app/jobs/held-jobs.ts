/**
 * Held jobs: a request that waits to change or delete a job goes before its next run. In memory, as one daemon serves a
 * store. A request holds a job only if it saw a run executing, for 5 s at most, and until that run ends. While a job is
 * held no run of it begins, so no further request joins, and a stream of updates cannot keep a job from being called
 * (docs/decisions/0005-due-times.md#who-waits-for-a-run-goes-before-the-next-one).
 */

import { tally } from '../../domain/tally.ts';

export interface HeldJobs {
  /** Lets no run of the job begin until the hold is disposed of. Several holds of a job count. */
  readonly hold: (jobId: string) => Disposable;
  /** Ids of the jobs that are held now. */
  readonly ids: () => string[];
}

/** Holds nothing at first. `onFree` is called when a job is no longer held. */
export function createHeldJobs(onFree: () => void): HeldJobs {
  const holders = new Map<string, number>();
  return {
    hold: (jobId) => {
      tally(holders, jobId, 1);
      return {
        [Symbol.dispose]() {
          if (tally(holders, jobId, -1) <= 0) onFree();
        },
      };
    },
    ids: () => [...holders.keys()],
  };
}
