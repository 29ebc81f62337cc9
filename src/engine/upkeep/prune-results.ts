/**
 * Results that a plan does not keep are removed in passes. A pass looks at every job's totals and oldest run, some
 * jobs at a time; accounts of which something goes have their jobs' histories merged in a second look, and lose
 * what is too old or too much, the oldest first. Plans are looked up for each transaction, so that one that was
 * changed counts at once.
 */

import type { Clock } from '../../domain/clock.ts';
import { plans } from '../../domain/accounts/plan.ts';
import { retentionOf } from '../../domain/accounts/retention.ts';
import type { Retention } from '../../domain/accounts/retention.ts';
import type { Store } from '../../store/database/open.ts';
import { findPlan, listHistories, removeBeginnings } from '../../store/runs/retention.ts';
import type { Beginning, JobHistory } from '../../store/runs/retention.ts';
import { watchSteadiness } from './clock-watch.ts';
import { mergeOldestFirst } from './oldest-first.ts';
import type { Head, OldestFirst } from './oldest-first.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';

/** From the end of a pass to the next: so many times longer than looking at all jobs took, within bounds. */
const restsPerLook = 200;
const shortestPassRestMs = 60_000;
const longestPassRestMs = 3_600_000;
/**
 * What is removed is gone: a machine that starts with a wrong clock, or whose clock is set wrong, has so long to
 * set it right before anything goes for its age.
 */
const steadyForMs = 600_000;
/** Jobs looked at in one step: a millisecond or two. */
const jobsPerStep = 200;

interface AccountHistory {
  accountId: string;
  results: number;
  /** When the oldest was due, in epoch milliseconds; Infinity if there is none. */
  oldestAt: number;
  /** Its jobs; gathered when something of the account is to go. */
  heads: Head[];
  /** What the heads stand for, in order. */
  runs: OldestFirst | undefined;
}

interface Pass {
  /** Where to go on looking at jobs; null when all have been looked at. */
  afterJobId: string | null;
  /** How long that took until now. */
  lookedMs: number;
  /** Accounts to judge. */
  accounts: Map<string, AccountHistory>;
  /** Accounts of which something goes. */
  doomed: Map<string, AccountHistory>;
  /** Whether the heads of those are, or are being, gathered. */
  isGathering: boolean;
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
  const isClockSteady = watchSteadiness(clock, steadyForMs);
  let isSteady = false;
  let pass: Pass | null = beginPass();
  let passEndedAt = 0;
  let restMs = 0;
  /** Results of all accounts at the end of the last pass. */
  let kept = 0;

  async function lookAtJobs(current: Pass, afterId: string): Promise<void> {
    const began = clock.monotonicMs();
    const histories = await listHistories(store.db, { afterId, limit: jobsPerStep });
    for (const history of histories) {
      if (current.isGathering) gather(current.doomed, history);
      else add(current.accounts, history);
    }
    const last = histories.length < jobsPerStep ? undefined : histories.at(-1);
    current.afterJobId = last?.jobId ?? null;
    current.lookedMs += clock.monotonicMs() - began;
  }

  /** What the account's plan keeps; undefined if the account is gone. */
  async function retentionFor({ accountId, results }: AccountHistory) {
    const plan = await findPlan(store.db, accountId);
    if (plan === undefined) return undefined;
    const retention = retentionOf(plans[plan], { results, now: clock.now() });
    return isSteady ? retention : { ...retention, agedBefore: -Infinity };
  }

  async function judge(current: Pass, account: AccountHistory): Promise<void> {
    const retention = await retentionFor(account);
    const isDoomed =
      retention !== undefined && (retention.surplus > 0 || account.oldestAt < retention.agedBefore);
    if (isDoomed) current.doomed.set(account.accountId, account);
    else current.kept += account.results;
    current.accounts.delete(account.accountId);
  }

  /** Removes some results of an account. Returns how many; null if it has none that go. */
  async function removeSome(account: AccountHistory): Promise<number | null> {
    const retention = await retentionFor(account);
    if (retention === undefined) return null;
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
    const runs = (account.runs ??= mergeOldestFirst(account.heads));
    const aged = await runs.take(store.db, writes.rows, agedBefore);
    if (aged.length > 0) return aged;
    return await runs.take(store.db, Math.min(writes.rows, surplus), Infinity);
  }

  async function step(): Promise<number | null> {
    isSteady = isClockSteady();
    if (pass === null && clock.monotonicMs() < passEndedAt + longestRest()) return null;
    const current = (pass ??= beginPass());
    if (current.afterJobId !== null) {
      await lookAtJobs(current, current.afterJobId);
      return 0;
    }
    const [toJudge] = current.accounts.values();
    if (toJudge !== undefined) {
      await judge(current, toJudge);
      return 0;
    }
    if (current.doomed.size > 0 && !current.isGathering) {
      current.isGathering = true;
      current.afterJobId = '';
      return 0;
    }
    const [account] = current.doomed.values();
    if (account === undefined) {
      end(current);
      return null;
    }
    const removed = await removeSome(account);
    if (removed !== null) return removed;
    current.doomed.delete(account.accountId);
    current.kept += account.results;
    return 0;
  }

  function end(current: Pass): void {
    kept = current.kept;
    pass = null;
    passEndedAt = clock.monotonicMs();
    restMs = Math.max(restsPerLook * current.lookedMs, shortestPassRestMs);
  }

  /** On a full disk the next pass comes soon, however long one takes. */
  function longestRest(): number {
    return Math.min(restMs, store.reserve.isInUse ? shortestPassRestMs : longestPassRestMs);
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
  return {
    afterJobId: '',
    lookedMs: 0,
    accounts: new Map(),
    doomed: new Map(),
    isGathering: false,
    kept: 0,
  };
}

function add(accounts: Map<string, AccountHistory>, history: JobHistory): void {
  const { accountId, results, oldestAt } = history;
  const account = accounts.get(accountId);
  if (account === undefined) {
    accounts.set(accountId, {
      accountId,
      results,
      oldestAt: oldestAt ?? Infinity,
      heads: [],
      runs: undefined,
    });
    return;
  }
  account.results += results;
  account.oldestAt = Math.min(account.oldestAt, oldestAt ?? Infinity);
}

function gather(accounts: Map<string, AccountHistory>, history: JobHistory): void {
  const { accountId, jobId, oldestAt } = history;
  if (oldestAt !== null) accounts.get(accountId)?.heads.push({ jobId, oldestAt });
}
