/**
 * Removes the oldest of what happened: what plans do not keep (docs/retention.md), and while space is short, more
 * (docs/retention.md#short-of-space). Both are a pass that reads all histories, page by page. Then each history that takes more
 * than a share of what is kept of it loses its oldest rows. By plans, that share is all of it, and the results of an account are
 * one history. While space is short, the share becomes smaller round by round until there is enough: the results of a workspace
 * are one history then, and so are the pings of a monitor. What `alwaysKept` names stays, and so does every run from one on that
 * is open, whose receipt is to be signed, or that an alert will name.
 */

import type { Clock } from '../../domain/clock.ts';
import { plans, retentionOf, shareOf, usedUp, type PlanName } from '../../domain/accounts/plan.ts';
import { pingsKept } from '../../domain/monitors/ping.ts';
import { alwaysKept, nextShare } from '../../domain/space.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { sweep, type SweepPage } from '../../store/database/sweep.ts';
import { listPingHistories, removePingsUpTo } from '../../store/monitors/pings.ts';
import { listKeptFrom } from '../../store/runs/early.ts';
import { findPlan, listHistories, removeRuns } from '../../store/runs/retention.ts';
import type { JobHistory } from '../../store/runs/retention.ts';
import { steadyForMs, watchSteadiness } from '../clock-watch.ts';
import { mergeOldestFirst, type Head, type OldestFirst } from './oldest-first.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';
import type { EarlyCount, SpaceWatch } from './space-watch.ts';

/** Between two passes by plans: a multiple of the time that reading all jobs took, within bounds. */
const restsPerReading = 200;
const shortestPassRestMs = 60_000;
const longestPassRestMs = 3_600_000;
/** After a pass for space that found nothing to remove. */
const exhaustedRestMs = 60_000;
/** Rows read in one step: a millisecond or two. */
const rowsPerStep = 200;
/** Rows removed at once for space, at least: a flood must not outrun it, and a sync costs more than they do. */
const fewestRemoved = 100;
/** Below it, nothing is left to remove. */
const leastShare = 1e-9;

/** Why history goes: plans do not keep more, or space is short. */
type Reason = 'plans' | 'space';

/** A history that may lose its oldest rows. */
interface History {
  readonly rows: () => number;
  /** The part of what is kept of it that it takes; 0 if nothing of it may go. */
  readonly usedUp: () => number;
  /** Removes some of what is above this share. Returns how many; null if there is nothing. */
  readonly trim: (share: number) => Promise<number | null>;
}

/** The jobs of an account, or of a workspace. */
interface Jobs {
  accountId: string;
  plan: PlanName;
  results: number;
  heads: Head[];
  /** When the oldest run that may go was due; Infinity if none may. */
  oldestAt: number;
}

interface Pass {
  reason: Reason;
  /** Yields after each step how many rows it removed. */
  steps: AsyncGenerator<number, void>;
}

export interface HistoryPruning extends Pruning {
  /** Ends the pass under way, and begins another one: jobs that it counted are being deleted. */
  readonly restart: () => void;
}

/** Makes it. The first pass begins at once. */
export function createHistoryPruning(
  store: Store,
  clock: Clock,
  space: SpaceWatch,
): HistoryPruning {
  const writes = createSmallWrites(store, clock);
  const isClockSteady = watchSteadiness(clock, steadyForMs);
  let isSteady = false;
  let pass: Pass | null = null;
  /** When the last pass by plans ended, and how long it rests after that. */
  let endedAt = -Infinity;
  let restMs = 0;
  /** When the next pass for space may begin. */
  let forSpaceAt = -Infinity;
  /** Results of all accounts at the end of the last pass by plans. */
  let resultsKept = 0;

  async function* byPlans(): AsyncGenerator<number, void> {
    const histories: History[] = [];
    const readingMs = yield* readJobs('plans', histories);
    yield* trimAll(histories, 1);
    resultsKept = histories.reduce((sum, history) => sum + history.rows(), 0);
    endedAt = clock.monotonicMs();
    restMs = Math.max(restsPerReading * readingMs, shortestPassRestMs);
  }

  async function* forSpace(): AsyncGenerator<number, void> {
    const histories: History[] = [];
    yield* readMonitors(histories);
    yield* readJobs('space', histories);
    let removed = 0;
    // A round may find nothing, when what is above its share became needed meanwhile.
    for (let share = 1; share > leastShare; share *= 0.95) {
      share = Math.min(nextShare(histories.map((history) => history.usedUp())), share);
      removed += yield* trimAll(histories, share);
    }
    space.exhausted(removed === 0);
    if (removed === 0) forSpaceAt = clock.monotonicMs() + exhaustedRestMs;
  }

  async function* readMonitors(histories: History[]): AsyncGenerator<number, void> {
    for await (const monitors of sweep((page) => listPingHistories(store.db, page), rowsPerStep)) {
      for (const { id, oldest, newest } of monitors) {
        if (oldest !== null) histories.push(pingsOf(id, oldest, newest));
      }
      yield 0;
    }
  }

  /** Adds the results of each account or workspace. Returns how long reading took, in milliseconds. */
  async function* readJobs(reason: Reason, histories: History[]): AsyncGenerator<number, number> {
    const owners = new Map<string, Jobs>();
    let readingMs = 0;
    const read = async (page: SweepPage): Promise<JobHistory[]> => {
      const began = clock.monotonicMs();
      const jobs = await listHistories(store.db, page);
      const kept = reason === 'space' ? await listKeptFrom(store.db, page, alwaysKept) : null;
      const keptFrom = new Map(kept?.map((job) => [job.id, job.keptFrom]));
      for (const job of jobs) {
        const owner = reason === 'plans' ? job.accountId : job.workspaceId;
        const before = owners.get(owner) ?? noJobs(job);
        owners.set(owner, before);
        addJob(before, job, kept === null ? Infinity : (keptFrom.get(job.id) ?? -Infinity));
      }
      readingMs += clock.monotonicMs() - began;
      return jobs;
    };
    for await (const _ of sweep(read, rowsPerStep)) yield 0;
    for (const jobs of owners.values()) histories.push(resultsOf(jobs, reason));
    return readingMs;
  }

  function pingsOf(id: string, first: number, newest: number): History {
    let oldest = first;
    const rows = (): number => newest - oldest + 1;
    return {
      rows,
      usedUp: () => (rows() > alwaysKept ? rows() / pingsKept : 0),
      async trim(share) {
        const wanted = Math.max(alwaysKept, Math.floor(pingsKept * share));
        const upTo = oldest - 1 + Math.min(rows() - wanted, rowsAtOnce('space'));
        const count = await remove('space', 'pings', (tx) => removePingsUpTo(tx, id, upTo));
        oldest = upTo + 1;
        return count;
      },
    };
  }

  function resultsOf(jobs: Jobs, reason: Reason): History {
    let plan = plans[jobs.plan];
    let { results } = jobs;
    let runs: OldestFirst | undefined;
    return {
      rows: () => results,
      usedUp() {
        const { oldestAt } = runs ?? jobs;
        if (oldestAt === Infinity) return 0;
        const now = clock.now();
        // The age of runs says nothing while the clock may be wrong.
        return usedUp(plan, { results, oldestAt: isSteady ? oldestAt : now, now });
      },
      async trim(share) {
        // A plan that was changed counts at once.
        const name = await findPlan(store.db, jobs.accountId);
        if (name === undefined) return null;
        plan = plans[name];
        runs ??= mergeOldestFirst(jobs.heads);
        const rows = rowsAtOnce(reason);
        const excess = retentionOf(shareOf(plan, share), { results, now: clock.now() });
        let taken = isSteady ? await runs.take(store.db, rows, excess.agedBefore) : [];
        if (taken.length === 0) {
          taken = await runs.take(store.db, Math.min(rows, excess.surplus), Infinity);
        }
        if (taken.length === 0) return null;
        const count = await remove(reason, 'results', (tx) => removeRuns(tx, taken));
        results -= count;
        return count;
      },
    };
  }

  function rowsAtOnce(reason: Reason): number {
    return reason === 'plans' ? writes.rows : Math.max(writes.rows, fewestRemoved);
  }

  async function remove(
    reason: Reason,
    what: keyof EarlyCount,
    work: (tx: Db) => Promise<number>,
  ): Promise<number> {
    if (reason === 'plans') return await writes.write(work);
    const countOf = (rows: number): EarlyCount => ({ results: 0, pings: 0, [what]: rows });
    const removed = await writes.write(async (tx) => {
      const rows = await work(tx);
      await space.note(tx, countOf(rows));
      return rows;
    });
    space.noted(countOf(removed));
    return removed;
  }

  /** The pass to go on with; null if there is nothing to do. One for space ends as soon as there is enough. */
  async function currentPass(): Promise<Pass | null> {
    if (pass?.reason === 'plans') return pass;
    const now = clock.monotonicMs();
    // On a full disk the next pass comes soon, however long one takes.
    const longestRestMs = store.reserve.isInUse ? shortestPassRestMs : longestPassRestMs;
    if (pass === null && now >= endedAt + Math.min(restMs, longestRestMs)) {
      return { reason: 'plans', steps: byPlans() };
    }
    if (!(await space.look()) || now < forSpaceAt) return null;
    return pass ?? { reason: 'space', steps: forSpace() };
  }

  return {
    name: 'history',
    writes,
    kept: () => resultsKept,
    restart() {
      pass = null;
    },
    async step() {
      isSteady = isClockSteady();
      for (;;) {
        const current = await currentPass();
        // A pass that fails is over: what it took from the histories may not have been removed.
        pass = null;
        if (current === null) return null;
        const { value } = await current.steps.next();
        if (typeof value !== 'number') continue;
        pass = current;
        return value;
      }
    },
  };
}

/** Removes what is above a share of what is kept of each history. Returns how many rows. */
async function* trimAll(
  histories: readonly History[],
  share: number,
): AsyncGenerator<number, number> {
  let removed = 0;
  for (const history of histories) {
    while (history.usedUp() > share) {
      const count = await history.trim(share);
      if (count === null) break;
      removed += count;
      yield count;
    }
  }
  yield 0;
  return removed;
}

function noJobs({ accountId, plan }: JobHistory): Jobs {
  return { accountId, plan, results: 0, heads: [], oldestAt: Infinity };
}

/** Adds a job. Its runs due from `keptFrom` on stay. */
function addJob(jobs: Jobs, { id: jobId, results, oldestAt }: JobHistory, keptFrom: number): void {
  jobs.results += results;
  if (oldestAt === null || oldestAt >= keptFrom) return;
  jobs.heads.push({ jobId, oldestAt, keptFrom });
  jobs.oldestAt = Math.min(jobs.oldestAt, oldestAt);
}
