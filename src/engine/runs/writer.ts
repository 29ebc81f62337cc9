/**
 * Every transaction that records or claims runs. Recording ended runs and claiming the next ones take one commit.
 *
 * A claim is on the disk before the first byte of its call is sent. If its commit fails, the claim is in doubt: it may
 * be on the disk or not. Its runs hold their slots, and nothing else is claimed until `settle` has asked the store
 * (docs/decisions/0008-doubt.md#an-uncertain-commit-is-looked-up-an-unknown-outcome-is-interrupted).
 */

import type { Hindrance } from '../../domain/runs/due.ts';
import type { Clock } from '../../domain/clock.ts';
import { messageOf, storeUnusable } from '../../domain/errors.ts';
import type { Log } from '../../base/log.ts';
import { findDoubtful, type ClaimBounds } from '../../store/runs/claims.ts';
import { isRefused } from '../../store/database/refused.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { holdNode } from '../../store/nodes/nodes.ts';
import type { Membership } from '../nodes/membership.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { emptyBatch, type Backlog, type Batch } from './backlog.ts';
import { claimRuns, type Claim } from './claim.ts';
import type { FreeSlots } from './due.ts';
import { isWaiting, type EndedExecution, type Execution } from './execution.ts';
import { begunWait, recordBatch, type Recorded } from './record.ts';
import { endFields } from './run-log.ts';
import type { Full, Slots } from './slots.ts';

export interface WriterParts {
  store: Store;
  clock: Clock;
  log: Log;
  membership: Membership;
  slots: Slots;
  backlog: Backlog;
  /** Ids of jobs that must not begin a run now. */
  readonly heldJobs: () => readonly string[];
  /** Whether to mark runs whose receipts are to be signed. */
  receipts: boolean;
  /** What kept this process from claiming. */
  readonly hindrances: () => readonly Hindrance[];
}

/** What a transaction does: record the backlog, claim runs, or both. */
export interface Work {
  records: boolean;
  /** `refill` claims as many runs as were recorded: a search for more would mostly find jobs whose hosts have no slot. */
  claims: 'none' | 'refill' | 'all';
}

/** What a transaction did. */
export interface Written extends Recorded<EndedExecution> {
  batch: Batch;
  /** Null if nothing may be claimed now. */
  claim: Claim | null;
}

export interface Writer {
  /**
   * Does the work in one transaction. After the commit the recorded runs have given back their slots, and the claimed
   * ones hold theirs. If it fails, the backlog keeps its batch and its slots.
   */
  write(work: Work): Promise<Written>;
  /** Asks the store which runs of a claim in doubt are on the disk. Returns them; none of them was sent. */
  settle(): Promise<Execution[]>;
  /** Gives up the runs in doubt; a rescue marks them as interrupted. */
  giveUp(): void;
}

/** How long a search is remembered: a job may become free without becoming due (docs/decisions/0015-writing.md#0097). */
const searchedForMs = 1_000;

/** A search that found nothing more to call: all that were due by `upTo` (epoch milliseconds) wait for slots of these. */
interface Searched extends Full {
  upTo: number;
  /** When it is made again, by the monotonic clock. */
  endsAtMs: number;
}

/** Makes the writer. */
export function createWriter({ store, clock, membership, slots, ...parts }: WriterParts): Writer {
  const { backlog, heldJobs, receipts } = parts;
  let inDoubt: Execution[] = [];
  /** The most runs in one claim: fewer after a failure, since a store in trouble may still take a few. */
  let largestClaim = Infinity;
  let searched: Searched = { upTo: 0, exceptHosts: [], exceptShares: [], endsAtMs: 0 };

  async function write(batch: Batch, { claims }: Work): Promise<Written> {
    const most = claims === 'refill' ? batch.executions.length : Infinity;
    let free = freeAfter(batch, most);
    let claimed: Execution[] = [];
    const { nodeId, servingSince } = membership;
    const isStillOurs = (): boolean => membership.nodeId === nodeId;
    try {
      const written = await store.write(async (tx) => {
        // It may run again, with nothing of the first time kept.
        free = freeAfter(batch, most);
        claimed = [];
        const recorded = await recordBatch(tx, dividedBatch(batch, clock.now()), { receipts });
        if (claims === 'none' || !(await mayClaim(tx, nodeId)))
          return { ...recorded, batch, claim: null };
        const bounds = free.bounds();
        // Before the clock is read: what is later than that is not believed.
        const hindrances = parts.hindrances();
        const now = clock.now();
        const claim = await claimRuns(tx, free, { now, servingSince, nodeId, hindrances });
        if (!claim.more) noteSearch(now, bounds);
        claimed = claim.executions;
        return { ...recorded, batch, claim };
      });
      for (const { claimed: done } of batch.executions) slots.release(done);
      backlog.remove(batch, written.retried);
      membership.confirmed?.ended(written.ended);
      membership.confirmed?.answered(written.waiting);
      if (claims !== 'none') largestClaim *= 2;
      // Declared gone meanwhile: the runs are another node's to close.
      if (!isStillOurs()) return { ...written, claim: null };
      membership.confirmed?.began(claimed);
      for (const one of claimed) slots.hold(one);
      return written;
    } catch (error) {
      if (isStillOurs()) {
        for (const one of claimed) slots.hold(one);
        inDoubt = inDoubt.concat(claimed);
      }
      if (claims !== 'none') largestClaim = Math.max(1, Math.floor(free.taken() / 2));
      throw error;
    }
  }

  async function mayClaim(tx: Db, nodeId: string | null): Promise<boolean> {
    if (inDoubt.length > 0 || !membership.mayBegin()) return false;
    if (nodeId !== null && !(await holdNode(tx, nodeId))) return false;
    if (await store.reserve.hasSpaceForRuns(tx)) return true;
    throw storeUnusable('the disk is full, and nothing is called until space is free');
  }

  /** The slots that are free once a batch is written, `most` at most. Before the commit, none is really given back or taken. */
  function freeAfter(batch: Batch, most: number): FreeSlots & { taken(): number } {
    const plan = slots.copy();
    for (const { claimed } of batch.executions) plan.release(claimed);
    const freeAtFirst = plan.free;
    const taken = (): number => freeAtFirst - plan.free;
    return {
      bounds: () => ({
        // Runs in doubt may hold more slots than there are.
        limit: Math.max(0, Math.min(plan.free, Math.min(most, largestClaim) - taken())),
        ...plan.full(),
        exceptJobs: heldJobs(),
        dueAfter: searchedUpTo(plan),
      }),
      take: ({ host, job: { workspaceId } }, terms) =>
        plan.take({ host, workspaceId, workspace: terms?.workspace ?? null }),
      taken,
    };
  }

  /** All that were due by then wait, as none of the last search has a free slot; undefined if others may wait, too. */
  function searchedUpTo(plan: Slots): number | undefined {
    const { upTo, endsAtMs } = searched;
    const isValid = clock.monotonicMs() < endsAtMs && clock.now() >= upTo;
    return isValid && plan.areFull(searched) ? upTo : undefined;
  }

  /** A search found nothing. */
  function noteSearch(upTo: number, { limit, exceptJobs, dueAfter, ...bounds }: ClaimBounds): void {
    const { exceptHosts, exceptShares = [] } = bounds;
    const isShort = exceptHosts.length + exceptShares.length > 0;
    if (limit === 0 || !isShort || exceptJobs.length > 0) return;
    const isWhole = dueAfter === undefined;
    const endsAtMs = isWhole ? clock.monotonicMs() + searchedForMs : searched.endsAtMs;
    searched = { upTo, exceptHosts, exceptShares, endsAtMs };
  }

  function releaseDoubtful(isReleased: (execution: Execution) => boolean): void {
    for (const one of inDoubt.filter(isReleased)) slots.release(one);
    inDoubt = [];
  }

  return {
    // A claim must know how the one before it ended, and a batch is written once.
    write: oneAtATime((work) => withoutRefused(parts, work, write)),
    async settle() {
      if (inDoubt.length === 0) return [];
      const asked = inDoubt;
      const onDisk = await findDoubtful(store.db, asked, membership.nodeId);
      // Given up meanwhile.
      if (inDoubt !== asked) return [];
      const executions = inDoubt.filter(({ runId }) => onDisk.has(runId));
      releaseDoubtful(({ runId }) => !onDisk.has(runId));
      return executions;
    },
    giveUp: () => releaseDoubtful(() => true),
  };
}

/** Writes. One row that the store refuses must not keep the others from being recorded. */
async function withoutRefused(
  { backlog, log }: Pick<WriterParts, 'backlog' | 'log'>,
  work: Work,
  write: (batch: Batch, work: Work) => Promise<Written>,
): Promise<Written> {
  for (;;) {
    const batch = work.records ? backlog.batch() : emptyBatch;
    try {
      return await write(batch, work);
    } catch (error) {
      // Beside a claim, it may be a row of the claim: the next record goes alone.
      if (work.claims !== 'none' || !isRefused(error)) throw error;
      const refused = backlog.refuse(batch);
      if (refused !== undefined) {
        const about = { ...endFields(refused), refusal: messageOf(error) };
        log.error(about, 'the database refuses to keep the outcome of a run');
      }
      // There is nothing less to keep of it.
      if (refused?.ended.status === 'interrupted') throw error;
    }
  }
}

/** Runs that end, apart from those whose targets report later. */
function dividedBatch({ executions, attempts }: Batch, now: number) {
  const waits = executions.filter(isWaiting).map((one) => begunWait(one, now));
  if (waits.length === 0) return { executions, attempts };
  return { executions: executions.filter((one) => !isWaiting(one)), attempts, waits };
}
