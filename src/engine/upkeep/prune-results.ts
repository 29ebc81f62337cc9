/**
 * Removes the results that plans do not keep (docs/retention.md), in passes. A pass reads every job's totals and the
 * time of its oldest run, page by page. Where an account has results that are too old or too many, the histories of
 * its jobs are merged, and its oldest results go. Each removal reads the account's plan: a changed plan counts at once.
 */

import type { Clock } from '../../domain/clock.ts';
import { plans, retentionOf } from '../../domain/accounts/plan.ts';
import type { PlanName, Retention } from '../../domain/accounts/plan.ts';
import type { Store } from '../../store/database/store.ts';
import { sweep } from '../../store/database/sweep.ts';
import type { SweepPage } from '../../store/database/sweep.ts';
import { findPlan, listHistories, removeBeginnings } from '../../store/runs/retention.ts';
import type { JobHistory } from '../../store/runs/retention.ts';
import { steadyForMs, watchSteadiness } from './clock-watch.ts';
import { mergeOldestFirst } from './oldest-first.ts';
import type { Head, OldestFirst } from './oldest-first.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';

/** Between two passes: a multiple of the time that reading all jobs took, within bounds. */
const restsPerReading = 200;
const shortestPassRestMs = 60_000;
const longestPassRestMs = 3_600_000;
/** Jobs read in one step: a millisecond or two. */
const jobsPerStep = 200;

interface AccountHistory {
  id: string;
  plan: PlanName;
  /** Results of all its jobs. */
  results: number;
  /** When the oldest was due, in epoch milliseconds; Infinity if there is none. */
  oldestAt: number;
}

export interface ResultsPruning extends Pruning {
  /** Starts the pass again, if one is under way: jobs that it counted are being deleted. */
  readonly restart: () => void;
}

/** Makes it. The first pass begins at once. */
export function createResultsPruning(store: Store, clock: Clock): ResultsPruning {
  const writes = createSmallWrites(store, clock);
  const isClockSteady = watchSteadiness(clock, steadyForMs);
  let isSteady = false;
  let pass: AsyncGenerator<number, void> | null = runPass();
  let passEndedAt = 0;
  let restMs = 0;
  /** Results of all accounts at the end of the last pass. */
  let kept = 0;

  /** Yields after each step how many results it removed. */
  async function* runPass(): AsyncGenerator<number, void> {
    let readingMs = 0;
    const read = async (page: SweepPage): Promise<JobHistory[]> => {
      const began = clock.monotonicMs();
      const jobs = await listHistories(store.db, page);
      readingMs += clock.monotonicMs() - began;
      return jobs;
    };
    const accounts = new Map<string, AccountHistory>();
    for await (const jobs of sweep(read, jobsPerStep)) {
      for (const job of jobs) add(accounts, job);
      yield 0;
    }
    const heads = new Map<string, Head[]>();
    for (const account of accounts.values()) {
      const { surplus, agedBefore } = retentionFor(account.plan, account.results);
      if (surplus > 0 || account.oldestAt < agedBefore) heads.set(account.id, []);
    }
    if (heads.size > 0) {
      for await (const jobs of sweep(read, jobsPerStep)) {
        for (const { id: jobId, accountId, oldestAt } of jobs) {
          if (oldestAt !== null) heads.get(accountId)?.push({ jobId, oldestAt });
        }
        yield 0;
      }
    }
    for (const [accountId, its] of heads) {
      const account = accounts.get(accountId);
      if (account !== undefined) yield* removeFrom(account, mergeOldestFirst(its));
      yield 0;
    }
    kept = accounts.values().reduce((sum, { results }) => sum + results, 0);
    passEndedAt = clock.monotonicMs();
    restMs = Math.max(restsPerReading * readingMs, shortestPassRestMs);
  }

  /** Removes from an account what its plan does not keep, the oldest results first. */
  async function* removeFrom(
    account: AccountHistory,
    runs: OldestFirst,
  ): AsyncGenerator<number, void> {
    for (;;) {
      const plan = await findPlan(store.db, account.id);
      if (plan === undefined) return;
      const { surplus, agedBefore } = retentionFor(plan, account.results);
      const aged = await runs.take(store.db, writes.rows, agedBefore);
      const taken =
        aged.length > 0
          ? aged
          : await runs.take(store.db, Math.min(writes.rows, surplus), Infinity);
      if (taken.length === 0) return;
      const removed = await writes.write((tx) => removeBeginnings(tx, taken));
      account.results -= removed;
      yield removed;
    }
  }

  function retentionFor(plan: PlanName, results: number): Retention {
    const retention = retentionOf(plans[plan], { results, now: clock.now() });
    return isSteady ? retention : { ...retention, agedBefore: -Infinity };
  }

  /** On a full disk the next pass comes soon, however long one takes. */
  function longestRestMs(): number {
    return store.reserve.isInUse ? shortestPassRestMs : longestPassRestMs;
  }

  return {
    name: 'results',
    writes,
    kept: () => kept,
    restart() {
      if (pass !== null) pass = runPass();
    },
    async step() {
      isSteady = isClockSteady();
      if (pass === null) {
        if (clock.monotonicMs() < passEndedAt + Math.min(restMs, longestRestMs())) return null;
        pass = runPass();
      }
      try {
        const { value } = await pass.next();
        if (value !== undefined) return value;
        pass = null;
        return null;
      } catch (error) {
        // Runs that were taken from the histories may not have been removed.
        pass = runPass();
        throw error;
      }
    },
  };
}

function add(accounts: Map<string, AccountHistory>, job: JobHistory): void {
  const { accountId, plan, results } = job;
  const oldestAt = job.oldestAt ?? Infinity;
  const account = accounts.get(accountId);
  if (account === undefined) {
    accounts.set(accountId, { id: accountId, plan, results, oldestAt });
    return;
  }
  account.results += results;
  account.oldestAt = Math.min(account.oldestAt, oldestAt);
}
