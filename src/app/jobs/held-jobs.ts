/**
 * Held jobs: who waits to change or to delete a job goes before its next run. In memory, as one daemon serves a store.
 * A job is held only by those who saw a run of it executing, for 5 s at most, and each leaves once the run has ended;
 * while it is held no run of it begins, so nobody joins them. So no stream of updates keeps a job from being called.
 */

export interface HeldJobs {
  /** Lets no run of the job begin until the hold is disposed of; others may hold the same job. */
  readonly hold: (jobId: string) => Disposable;
  /** The jobs that are held now. */
  readonly ids: () => string[];
}

/** Makes it; `onFree` hears that a job is not held any more. */
export function createHeldJobs(onFree: () => void): HeldJobs {
  const holders = new Map<string, number>();
  return {
    hold: (jobId) => {
      holders.set(jobId, (holders.get(jobId) ?? 0) + 1);
      return {
        [Symbol.dispose]() {
          const left = (holders.get(jobId) ?? 0) - 1;
          if (left > 0) {
            holders.set(jobId, left);
            return;
          }
          holders.delete(jobId);
          onFree();
        },
      };
    },
    ids: () => [...holders.keys()],
  };
}
