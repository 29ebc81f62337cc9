/**
 * Claim: decides, in one transaction, which runs start now. When it returns they are on the disk as
 * `running`; not a byte was sent before. A commit that fails leaves open whether they are: then the
 * store is asked, before anything else is claimed.
 */

import type { Clock } from '../../domain/clock.ts';
import {
  findQueuedRuns,
  findRunning,
  startQueuedRuns,
  updateClaimedJobs,
} from '../../store/runs/claims.ts';
import type { QueuedRun } from '../../store/runs/claims.ts';
import type { Db, Store } from '../../store/database/open.ts';
import { claimedRun } from './claimed.ts';
import type { Claim, ClaimedRun, Room } from './claimed.ts';
import { claimDueJobs } from './due.ts';
import type { Slots } from './slots.ts';
import { termsOf } from './expire.ts';

export interface Claimer {
  /**
   * Of the runs of a claim whose commit failed, those that were kept all the same: on the disk, and not
   * sent. To be asked before anything else is claimed.
   */
  settle(): Promise<ClaimedRun[]>;
  /**
   * Claims as many runs as are waiting or due and find a free slot. Each holds a slot of its host,
   * which whoever records its end gives back. `before` is done first, in the same transaction; it says
   * whether anything is to be claimed then. While something has to be settled, nothing is.
   */
  claim(before?: (tx: Db) => Promise<boolean>): Promise<Claim>;
  /** Gives back the slots of what would have to be settled. */
  giveUp(): void;
}

/** Makes a claimer that serves from now on; it leaves alone the jobs that `heldJobs` names. */
export function createClaimer(
  store: Store,
  clock: Clock,
  slots: Slots,
  heldJobs: () => readonly string[] = () => [],
): Claimer {
  const servingSince = clock.now();
  /** Runs of a claim whose commit failed. */
  let doubtful: ClaimedRun[] = [];
  /** Runs claimed at once: fewer after a failure, as a store in trouble may still take a little. */
  let largestBatch = Infinity;
  /** One claim at a time: the next one must know how this one ended. */
  let last: Promise<unknown> = Promise.resolve();

  async function claimOnce(before: (tx: Db) => Promise<boolean>): Promise<Claim> {
    const taken: string[] = [];
    const room: Room = {
      bounds: () => ({
        limit: Math.min(slots.free, largestBatch - taken.length),
        exceptHosts: slots.fullHosts(),
        exceptJobs: heldJobs(),
      }),
      take(host) {
        const isFree = slots.take(host);
        if (isFree) taken.push(host);
        return isFree;
      },
    };
    let claimed: ClaimedRun[] = [];
    try {
      const kept = await store.write(async (tx) => {
        if (!(await before(tx)) || doubtful.length > 0) return nothing;
        if (!(await store.reserve.hasRoomForRuns(tx))) return nothing;
        const now = clock.now();
        const queued = await claimQueuedRuns(tx, room, now);
        const due = await claimDueJobs(tx, room, { now, servingSince });
        claimed = [...queued, ...due.runs];
        return { ...due, runs: claimed, more: queued.length > 0 || due.more };
      });
      largestBatch *= 2;
      return kept;
    } catch (error) {
      doubtful = doubtful.concat(claimed);
      largestBatch = Math.max(1, Math.floor(taken.length / 2));
      throw error;
    } finally {
      giveBackUnused(slots, taken, claimed);
    }
  }

  async function settle(): Promise<ClaimedRun[]> {
    if (doubtful.length === 0) return [];
    const ids = doubtful.map(({ runId }) => runId);
    const kept = await findRunning(store.db, ids);
    const runs = doubtful.filter(({ runId }) => kept.has(runId));
    releaseAll(doubtful.filter(({ runId }) => !kept.has(runId)));
    doubtful = [];
    return runs;
  }

  function releaseAll(runs: readonly ClaimedRun[]): void {
    for (const { host } of runs) slots.release(host);
  }

  return {
    settle,
    claim(before = async () => true) {
      const claim = last.then(() => claimOnce(before));
      last = claim.catch(() => {});
      return claim;
    },
    giveUp() {
      releaseAll(doubtful);
      doubtful = [];
    },
  };
}

/** What comes of not claiming: there may be something all the same. */
const nothing: Claim = { runs: [], missed: 0, expired: 0, more: true };

/** Slots were taken for runs that somebody else started, or that turned out to be missed. */
function giveBackUnused(slots: Slots, taken: string[], claimed: readonly ClaimedRun[]): void {
  for (const { host } of claimed) taken.splice(taken.indexOf(host), 1);
  for (const host of taken) slots.release(host);
}

/** Runs asked for by hand come first: somebody waits for them. */
async function claimQueuedRuns(tx: Db, room: Room, now: number): Promise<ClaimedRun[]> {
  const found = await findQueuedRuns(tx, room.bounds());
  const chosen = onePerJob(found).filter(({ host }) => room.take(host));
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
  const terms = await termsOf(tx, claimed);
  return claimed.map(({ runId, job, host, queuedAt }) => {
    const run = { runId, job, host, scheduledFor: queuedAt, startedAt: now };
    return claimedRun(run, terms.get(job.workspaceId));
  });
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
