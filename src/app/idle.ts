/**
 * Changes that must not cross with a call: an update and a deletion wait for the run that executes
 * (spec section 4, rules 2 and 3), but not for ever.
 */

import { setTimeout } from 'node:timers/promises';
import { JobdError } from '../domain/errors.ts';
import type { SealedJob } from '../domain/sealed-job.ts';
import type { Db } from '../store/open.ts';
import type { App, Principal } from './app.ts';
import { requireJob } from './require-job.ts';

const longestWaitMs = 5_000;
/** Between looks. The run's end is seen in the store, whoever executes it. */
const lookEveryMs = 25;

/**
 * Runs `work` in a transaction in which the job executes nothing. Throws `not_found`, and `conflict`
 * if a run still executes after 5 s.
 */
export async function whenIdle<T>(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  principal: Principal,
  jobId: string,
  work: (tx: Db, job: SealedJob) => Promise<T>,
): Promise<T> {
  const deadline = clock.monotonicMs() + longestWaitMs;
  for (;;) {
    const seen = await requireJob(store.db, principal, jobId);
    if (seen.activeRunId === null) {
      const done = await store.writeShared(async (tx) => {
        const job = await requireJob(tx, principal, jobId);
        return job.activeRunId === null ? { result: await work(tx, job) } : null;
      });
      if (done !== null) return done.result;
    }
    if (clock.monotonicMs() >= deadline) throw stillExecuting(seen);
    await setTimeout(lookEveryMs);
  }
}

function stillExecuting({ activeRunId }: SealedJob): JobdError {
  return new JobdError(
    'conflict',
    `run ${activeRunId} of this job is still executing, try again when it has ended`,
  );
}
