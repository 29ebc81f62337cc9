/**
 * Renew: when an account that had expired is paid for again, or a clock that was ahead is set back, its
 * jobs get due times again, the next ones from now on: what would have been due in between is nobody's loss.
 */

import type { Clock } from '../domain/clock.ts';
import { scheduleOf } from '../domain/job.ts';
import { nextDue } from '../domain/schedule/next.ts';
import { findAccountToResume, markResumed } from '../store/expiry.ts';
import type { StoppedAccount } from '../store/expiry.ts';
import type { Db, Store } from '../store/open.ts';
import { findUnplannedJobs, setDueTimes } from '../store/planned.ts';

/** Jobs planned in one transaction: some milliseconds. */
const jobsPerStep = 500;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

export interface Renewer {
  /** Plans some jobs. Returns how long to rest, and how many jobs that were. */
  step(): Promise<{ restMs: number; planned: number }>;
}

/** Makes one that looks for all accounts that are to be resumed. */
export function createRenewer(store: Store, clock: Clock): Renewer {
  /** Where to go on; after a restart the account's jobs are looked through again. */
  let position: { accountId: string; afterId: string } | null = null;

  async function resume(tx: Db, { id, schedules }: StoppedAccount, now: number): Promise<number> {
    const goesOn = schedules === 'resuming' && position?.accountId === id;
    const afterId = goesOn ? (position?.afterId ?? '') : '';
    const jobs = await findUnplannedJobs(tx, id, { afterId, limit: jobsPerStep });
    const planned = jobs.map((job) => ({ id: job.id, nextRunAt: nextDue(scheduleOf(job), now) }));
    await setDueTimes(tx, planned);
    const last = jobs.length < jobsPerStep ? undefined : jobs.at(-1);
    await markResumed(tx, id, last === undefined ? 'on' : 'resuming');
    position = last === undefined ? null : { accountId: id, afterId: last.id };
    return planned.length;
  }

  return {
    async step() {
      const nothing = { restMs: Infinity, planned: 0 };
      // Reading first: whoever only reads does not wait for a writer.
      if ((await findAccountToResume(store.db, clock.now())) === undefined) return nothing;
      return await store.write(async (tx) => {
        const now = clock.now();
        const account = await findAccountToResume(tx, now);
        return account === undefined
          ? nothing
          : { restMs, planned: await resume(tx, account, now) };
      });
    },
  };
}
