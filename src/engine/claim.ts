/**
 * Claim: decides, in one transaction, which runs start now. When it returns they are on the disk as
 * `running`; not a byte was sent before.
 */

import { findQueuedRuns, startQueuedRuns, updateClaimedJobs } from '../store/claims.ts';
import type { QueuedRun } from '../store/claims.ts';
import type { Db, Store } from '../store/open.ts';
import { claimedRun } from './claimed.ts';
import type { Claim, ClaimedRun, TakeSlot } from './claimed.ts';
import { claimDueJobs } from './due.ts';
import type { Slots } from './slots.ts';

/**
 * Claims as many runs as are waiting or due and find a free slot. Each holds a slot of its host, which
 * whoever records its end gives back.
 */
export async function claim(store: Store, slots: Slots, now: number): Promise<Claim> {
  const taken: string[] = [];
  const takeSlot = (host: string): boolean => {
    const free = slots.take(host);
    if (free) taken.push(host);
    return free;
  };
  let claimed: ClaimedRun[] = [];
  try {
    const kept = await store.write(async (tx) => {
      const queued = await claimQueuedRuns(tx, slots, takeSlot, now);
      const due = await claimDueJobs(tx, slots, takeSlot, now);
      return { runs: [...queued, ...due.runs], more: queued.length > 0 || due.more };
    });
    claimed = kept.runs;
    return kept;
  } finally {
    giveBackUnused(slots, taken, claimed);
  }
}

/** Slots were taken for runs that somebody else started, or that could not be committed. */
function giveBackUnused(slots: Slots, taken: string[], claimed: readonly ClaimedRun[]): void {
  for (const { host } of claimed) taken.splice(taken.indexOf(host), 1);
  for (const host of taken) slots.release(host);
}

/** Runs asked for by hand come first: somebody waits for them. */
async function claimQueuedRuns(
  tx: Db,
  slots: Slots,
  takeSlot: TakeSlot,
  now: number,
): Promise<ClaimedRun[]> {
  const found = await findQueuedRuns(tx, { limit: slots.free, exceptHosts: slots.fullHosts() });
  const chosen = onePerJob(found).filter(({ host }) => takeSlot(host));
  const started = await startQueuedRuns(
    tx,
    chosen.map(({ runId }) => runId),
    now,
  );
  const claimed = chosen.filter(({ runId }) => started.has(runId));
  await updateClaimedJobs(
    tx,
    claimed.map(({ runId, job }) => ({
      id: job.id,
      nextRunAt: job.nextRunAt,
      activeRunId: runId,
      startedAt: now,
      missed: 0,
    })),
  );
  return claimed.map(({ runId, job, host, queuedAt }) =>
    claimedRun({ runId, job, host, scheduledFor: queuedAt, startedAt: now }),
  );
}

/** The oldest queued run of each job: a job executes one run at a time. */
function onePerJob(queued: readonly QueuedRun[]): QueuedRun[] {
  const seen = new Set<string>();
  return queued.filter(({ job }) => {
    const first = !seen.has(job.id);
    seen.add(job.id);
    return first;
  });
}
