/**
 * Changes that must not cross with a call: an update and a deletion wait for the run that executes, but not for ever.
 * Who waits goes before the next run of the job.
 */

import { setTimeout } from 'node:timers/promises';
import { JobdError } from '../../domain/errors.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import type { Db } from '../../store/database/open.ts';
import type { App, Principal } from '../app.ts';
import { requireJob } from './require-job.ts';

const longestWaitMs = 5_000;
/** Between looks. The run's end is seen in the store, whoever executes it. */
const lookEveryMs = 25;

/** What came of the work, or the job that executes a run. */
type Tried<T> = { result: T } | { executing: SealedJob };

/**
 * Runs `work` in a transaction in which the job executes nothing. Throws `not_found`, and `conflict`
 * if a run still executes after 5 s.
 */
export async function whenIdle<T>(
  { store, clock, holdJob }: Pick<App, 'store' | 'clock' | 'holdJob'>,
  principal: Principal,
  jobId: string,
  work: (tx: Db, job: SealedJob) => Promise<T>,
): Promise<T> {
  const tryOnce = async (): Promise<Tried<T>> => {
    const seen = await requireJob(store.db, principal, jobId);
    if (seen.activeRunId !== null) return { executing: seen };
    return await store.write(async (tx) => {
      const job = await requireJob(tx, principal, jobId);
      return job.activeRunId === null ? { result: await work(tx, job) } : { executing: job };
    });
  };
  const deadline = clock.monotonicMs() + longestWaitMs;
  const first = await tryOnce();
  if ('result' in first) return first.result;
  using _ = holdJob(first.executing.id);
  for (;;) {
    await setTimeout(lookEveryMs);
    const tried = await tryOnce();
    if ('result' in tried) return tried.result;
    if (clock.monotonicMs() >= deadline) throw stillExecuting(tried.executing);
  }
}

function stillExecuting({ activeRunId }: SealedJob): JobdError {
  return new JobdError(
    'conflict',
    `run ${activeRunId} of this job is still executing: try again when it has ended. An update with only action pause ` +
      'is taken at once, and then no further run begins',
  );
}
