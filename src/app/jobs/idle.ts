/** Changes that must not overlap a call: they wait for the executing run, for 5 s at most, and go before the job's next one. */

import { rest } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import { findActiveRunId } from '../../store/jobs/actions.ts';
import { isWaiting } from '../../store/runs/reports.ts';
import type { Db } from '../../store/database/store.ts';
import { requireStillValid } from '../accounts/authenticate.ts';
import type { JobsApp, Principal } from '../app.ts';
import { changeBy, type NoteChange } from '../change.ts';
import { requireJob } from './keep-job.ts';

const longestWaitMs = 5_000;
/** Between two looks, longer each time: hundreds may wait. The end of the run is read from the store, whoever executes it. */
const restsMs = { first: 25, longest: 250 };

/** The result of a try, or the job whose run prevents one. */
export type Tried<T> = { result: T } | { executing: SealedJob };

/** Tries until no run prevents it. Throws `conflict` if one executes after 5 s, and `unauthenticated` if the key or session has ended. */
export async function untilIdle<T>(
  app: Pick<JobsApp, 'store' | 'clock' | 'holdJob'>,
  principal: Principal,
  tryOnce: () => Promise<Tried<T>>,
): Promise<T> {
  const { clock, holdJob } = app;
  const deadline = clock.monotonicMs() + longestWaitMs;
  let tried = await tryOnce();
  if ('result' in tried) return tried.result;
  using _ = holdJob(tried.executing.id);
  for (let restMs = restsMs.first; ; restMs = Math.min(1.5 * restMs, restsMs.longest)) {
    await rest(clock, restMs);
    await requireStillValid(app, principal);
    const isOver = clock.monotonicMs() >= deadline;
    if (!isOver && (await goesOn(app.store.db, tried.executing))) continue;
    tried = await tryOnce();
    if ('result' in tried) return tried.result;
    if (isOver) throw stillExecuting(tried.executing);
  }
}

/** Whether the same call of a job is still in flight. */
async function goesOn(db: Db, { id, activeRunId }: SealedJob): Promise<boolean> {
  const now = await findActiveRunId(db, id);
  return now === activeRunId && (await isExecuting(db, { activeRunId }));
}

/** Runs `work` in a transaction in which the job executes nothing. Throws `not_found`, and what `untilIdle` throws. */
export async function whenIdle<T>(
  app: Pick<JobsApp, 'store' | 'clock' | 'holdJob' | 'onChanged'>,
  principal: Principal,
  jobId: string,
  work: (tx: Db, job: SealedJob, note: NoteChange) => Promise<T>,
): Promise<T> {
  const { store } = app;
  return await untilIdle(app, principal, async (): Promise<Tried<T>> => {
    const seen = await requireJob(store.db, principal, jobId);
    if (await isExecuting(store.db, seen)) return { executing: seen };
    return await changeBy(app, principal, async (tx, note) => {
      const job = await requireJob(tx, principal, jobId);
      if (await isExecuting(tx, job)) return { executing: job };
      return { result: await work(tx, job, note) };
    });
  });
}

/** Whether a call of the job is in flight. None is while its run waits for a report. */
export async function isExecuting(
  db: Db,
  { activeRunId }: Pick<SealedJob, 'activeRunId'>,
): Promise<boolean> {
  return activeRunId !== null && !(await isWaiting(db, activeRunId));
}

function stillExecuting({ activeRunId }: SealedJob): JobdError {
  return new JobdError(
    'conflict',
    `run ${activeRunId} of this job is still executing: try again when it has ended. An update with only action pause ` +
      'is taken at once, and then no further run begins',
  );
}
