/**
 * Results that a plan does not keep are removed in passes. A pass looks at every job's totals and oldest run, some
 * jobs at a time, and then removes from one account after another what is too old or too much, the oldest
 * first. Plans are looked up for each transaction, so that one that was changed counts at once.
 */

import type { Clock } from '../domain/clock.ts';
import { plans } from '../domain/plan.ts';
import { retentionOf } from '../domain/retention.ts';
import type { Retention } from '../domain/retention.ts';
import type { Store } from '../store/open.ts';
import { findPlan, listHistories, removeBeginnings } from '../store/retention.ts';
import type { Beginning, JobHistory } from '../store/retention.ts';
import { mergeOldestFirst } from './oldest-first.ts';
import type { Head, OldestFirst } from './oldest-first.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';

/** From the end of a pass to the next. */
const passEveryMs = 60_000;
/** Jobs looked at in one step: a millisecond or two. */
const jobsPerStep = 200;

interface AccountHistory {
  accountId: string;
  results: number;
  heads: Head[];
  /** What the heads stand for, in order; made when something of it is to go. */
  runs: OldestFirst | undefined;
}

interface Pass {
  /** Where to go on looking at jobs; null when all have been looked at. */
  afterJobId: string | null;
  /** Those that have not been pruned yet. */
  accounts: Map<string, AccountHistory>;
  /** Results of the others. */
  kept: number;
}

export interface ResultsPruning extends Pruning {
  /** Begins the pass anew, if one is under way: jobs that it has looked at are being deleted. */
  readonly restart: () => void;
}

/** Makes it; the first pass begins at once. */
export function createResultsPruning(store: Store, clock: Clock): ResultsPruning {
  const writes = createSmallWrites(store, clock);
  let pass: Pass | null = beginPass();
  let nextPassAt = 0;
  /** Results of all accounts at the end of the last pass. */
  let kept = 0;

  async function lookAtJobs(current: Pass, afterId: string): Promise<void> {
    const histories = await listHistories(store.db, { afterId, limit: jobsPerStep });
    for (const history of histories) add(current.accounts, history);
    const last = histories.length < jobsPerStep ? undefined : histories.at(-1);
    current.afterJobId = last?.jobId ?? null;
  }

  /** Removes some results of an account. Returns how many; null if it has none that go. */
  async function removeSome(account: AccountHistory): Promise<number | null> {
    const plan = await findPlan(store.db, account.accountId);
    if (plan === undefined) return null;
    const retention = retentionOf(plans[plan], { results: account.results, now: clock.now() });
    const doomed = await takeDoomed(account, retention);
    if (doomed.length === 0) return null;
    const removed = await writes.write((tx) => removeBeginnings(tx, doomed));
    account.results -= removed;
    return removed;
  }

  async function takeDoomed(
    account: AccountHistory,
    { agedBefore, surplus }: Retention,
  ): Promise<Beginning[]> {
    if (surplus === 0 && account.heads.every(({ oldestAt }) => oldestAt >= agedBefore)) return [];
    const runs = (account.runs ??= mergeOldestFirst(account.heads));
    const aged = await runs.take(store.db, writes.rows, agedBefore);
    if (aged.length > 0) return aged;
    return await runs.take(store.db, Math.min(writes.rows, surplus), Infinity);
  }

  async function step(): Promise<number | null> {
    if (pass === null && clock.monotonicMs() < nextPassAt) return null;
    const current = (pass ??= beginPass());
    if (current.afterJobId !== null) {
      await lookAtJobs(current, current.afterJobId);
      return 0;
    }
    const [account] = current.accounts.values();
    if (account === undefined) {
      kept = current.kept;
      pass = null;
      nextPassAt = clock.monotonicMs() + passEveryMs;
      return null;
    }
    const removed = await removeSome(account);
    if (removed !== null) return removed;
    current.accounts.delete(account.accountId);
    current.kept += account.results;
    return 0;
  }

  return {
    name: 'results',
    writes,
    kept: () => kept,
    restart() {
      if (pass !== null) pass = beginPass();
    },
    async step() {
      try {
        return await step();
      } catch (error) {
        // What was taken to be removed may still be there.
        pass = beginPass();
        throw error;
      }
    },
  };
}

function beginPass(): Pass {
  return { afterJobId: '', accounts: new Map(), kept: 0 };
}

function add(accounts: Map<string, AccountHistory>, history: JobHistory): void {
  const { accountId, jobId, results, oldestAt } = history;
  const account = accounts.get(accountId) ?? { accountId, results: 0, heads: [], runs: undefined };
  account.results += results;
  if (oldestAt !== null) account.heads.push({ jobId, oldestAt });
  accounts.set(accountId, account);
}
