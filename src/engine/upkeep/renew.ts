/**
 * Renew: when an account that had expired is paid for again, or a clock that was ahead is set back, its
 * jobs get due times again, the next ones from now on: what would have been due in between is nobody's loss.
 */

import type { Clock } from '../../domain/clock.ts';
import { scheduleOf } from '../../domain/jobs/job.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import { findAccountToResume, markResumed } from '../../store/accounts/expiry.ts';
import type { Db, Store } from '../../store/database/open.ts';
import { findJobsAfter, findWorkspaceAfter, setDueTimes } from '../../store/jobs/planned.ts';

/** Jobs looked at in one transaction: some milliseconds. */
const jobsPerStep = 500;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

export interface Renewer {
  /** Plans some jobs. Returns how long to rest, and how many jobs that were. */
  step(): Promise<{ restMs: number; planned: number }>;
}

/** How far an account is planned again: up to a job of a workspace, or to the end of it. */
interface Position {
  accountId: string;
  workspaceId: string;
  afterId: string | null;
}

/** What a step came to; null for the position if there is nothing left. */
interface Resumed {
  planned: number;
  position: Position | null;
}

/** Makes one that looks for all accounts that are to be resumed. */
export function createRenewer(store: Store, clock: Clock): Renewer {
  /** Where to go on; after a restart the account's jobs are looked through again. */
  let position: Position | null = null;

  return {
    async step() {
      // Reading first: whoever only reads does not wait for a writer.
      if ((await findAccountToResume(store.db, clock.now())) === undefined) {
        return { restMs: Infinity, planned: 0 };
      }
      const resumed = await store.write(async (tx) => {
        const now = clock.now();
        const account = await findAccountToResume(tx, now);
        if (account === undefined) return { planned: 0, position: null };
        const { id, schedules } = account;
        const goesOn = schedules === 'resuming' && position?.accountId === id;
        const from = goesOn ? position : null;
        return await resume(tx, from ?? { accountId: id, workspaceId: '', afterId: null }, now);
      });
      position = resumed.position;
      return { restMs, planned: resumed.planned };
    },
  };
}

async function resume(tx: Db, from: Position, now: number): Promise<Resumed> {
  const { accountId, afterId } = from;
  const workspaceId =
    afterId === null ? await findWorkspaceAfter(tx, accountId, from.workspaceId) : from.workspaceId;
  if (workspaceId === undefined) {
    await markResumed(tx, accountId, 'on');
    return { planned: 0, position: null };
  }
  const jobs = await findJobsAfter(tx, workspaceId, { afterId: afterId ?? '', limit: jobsPerStep });
  const planned = jobs
    .filter(({ isStopped }) => isStopped === 1)
    .map((job) => ({ id: job.id, nextRunAt: nextDue(scheduleOf(job), now) }));
  await setDueTimes(tx, planned);
  await markResumed(tx, accountId, 'resuming');
  const last = jobs.length < jobsPerStep ? undefined : jobs.at(-1);
  return {
    planned: planned.length,
    position: { accountId, workspaceId, afterId: last?.id ?? null },
  };
}
