/**
 * Renew: when an expired account is paid for again, or a clock that was ahead is set back, its jobs get due
 * times again, counted from now. Due times in between are neither called nor missed.
 */

import type { Clock } from '../../domain/clock.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import { findWorkspaceName, findWorkspacesOf } from '../../store/accounts/workspaces.ts';
import { beginResuming, endResuming, findAccountToResume } from '../../store/accounts/expiry.ts';
import type { Store } from '../../store/database/store.ts';
import { sweep, type SweepPage } from '../../store/database/sweep.ts';
import { findJobsOfWorkspace, setDueTimes } from '../../store/jobs/planned.ts';

/** Jobs read in one transaction: some milliseconds. */
const jobsPerStep = 500;
const workspacesPerPage = 100;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

export interface Renewer {
  /** Plans some jobs. Returns how long to rest in milliseconds, and how many jobs got due times. */
  step(): Promise<{ restMs: number; planned: number }>;
}

/** Makes a renewer. It plans the jobs of one renewed account after the other. */
export function createRenewer(store: Store, clock: Clock): Renewer {
  let current: { accountId: string; pass: AsyncGenerator<number, void> } | null = null;
  return {
    async step() {
      // Reading waits for no writer.
      const account = await findAccountToResume(store.db, clock.now());
      if (account === undefined) return { restMs: Infinity, planned: 0 };
      const { id, schedules } = account;
      // `off` again: the account expired meanwhile, and jobs that were planned may have stopped.
      if (current?.accountId !== id || schedules === 'off') {
        current = { accountId: id, pass: planAgain(store, clock, id) };
      }
      const goingOn = current;
      // A pass that fails is over: the next step begins another one.
      current = null;
      const { value } = await goingOn.pass.next();
      if (value !== undefined) current = goingOn;
      return { restMs, planned: value ?? 0 };
    },
  };
}

/** Plans all jobs of an account. Yields after each transaction how many it planned. */
async function* planAgain(
  store: Store,
  clock: Clock,
  accountId: string,
): AsyncGenerator<number, void> {
  await store.write((tx) => beginResuming(tx, accountId));
  const findWorkspaces = (page: SweepPage) => findWorkspacesOf(store.db, accountId, page);
  for await (const workspaces of sweep(findWorkspaces, workspacesPerPage)) {
    for (const { id } of workspaces) {
      const planPage = (page: SweepPage) =>
        store.write(async (tx) => {
          if ((await findWorkspaceName(tx, id)) === undefined) return []; // it was deleted
          const now = clock.now();
          const jobs = await findJobsOfWorkspace(tx, id, page);
          const planned = jobs
            .filter(({ isStopped }) => isStopped === 1)
            .map((job) => ({ ...job, nextRunAt: nextDue(scheduleOf(job), now) }));
          await setDueTimes(tx, planned, now);
          return jobs;
        });
      for await (const jobs of sweep(planPage, jobsPerStep)) {
        yield jobs.filter(({ isStopped }) => isStopped === 1).length;
      }
      yield 0;
    }
  }
  await store.write((tx) => endResuming(tx, accountId));
}
