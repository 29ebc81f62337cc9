/**
 * Removes history before its time while space is short (docs/retention.md#short-of-space). A pass reads all histories. Then, round
 * by round, a smaller share of what plans keep stays: a workspace that takes more of it loses its oldest results, and a monitor
 * its oldest pings. The pass ends as soon as there is enough space. What `alwaysKept` names stays, and so does every run from
 * one on that is open, whose receipt is to be signed, or that an alert will name.
 */

import type { Clock } from '../../domain/clock.ts';
import { plans, retentionOf, shareOf, usedUp } from '../../domain/accounts/plan.ts';
import type { PlanName } from '../../domain/accounts/plan.ts';
import { pingsKept } from '../../domain/monitors/ping.ts';
import { alwaysKept, nextShare } from '../../domain/space.ts';
import type { Store } from '../../store/database/store.ts';
import { sweep } from '../../store/database/sweep.ts';
import type { SweepPage } from '../../store/database/sweep.ts';
import { listPingHistories, removePingsUpTo } from '../../store/monitors/pings.ts';
import { listKeptFrom } from '../../store/runs/early.ts';
import { listHistories, removeBeginnings } from '../../store/runs/retention.ts';
import { steadyForMs, watchSteadiness } from './clock-watch.ts';
import { mergeOldestFirst } from './oldest-first.ts';
import type { Head } from './oldest-first.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';
import type { EarlyCount, SpaceWatch } from './space-watch.ts';

/** Rows read in one step: a millisecond or two. */
const rowsPerStep = 200;
/** Rows removed at once, at least: a flood must not outrun it, and a sync costs more than they do. */
const fewestRemoved = 100;
/** After a pass that found nothing to remove. */
const exhaustedRestMs = 60_000;

/** Below it, nothing is left to remove. */
const leastShare = 1e-9;

/** A history that may lose its oldest rows. */
interface History {
  /** The part of what is kept of it that it takes; 0 if nothing of it may go. */
  readonly usedUp: () => number;
  /** Removes some of what is above this share. Returns how many; null if there is nothing. */
  readonly trim: (share: number) => Promise<number | null>;
}

/** Makes it. */
export function createEarlyPruning(store: Store, clock: Clock, space: SpaceWatch): Pruning {
  const writes = createSmallWrites(store, clock);
  const isClockSteady = watchSteadiness(clock, steadyForMs);
  let isSteady = false;
  let pass: AsyncGenerator<number, void> | null = null;
  let restUntil = -Infinity;

  const rowsAtOnce = (): number => Math.max(writes.rows, fewestRemoved);
  const readPings = (page: SweepPage) => listPingHistories(store.db, page);
  const readKept = (page: SweepPage) => listKeptFrom(store.db, page, alwaysKept);
  const readResults = (page: SweepPage) => listHistories(store.db, page);

  /** Yields after each step how many rows it removed. */
  async function* runPass(): AsyncGenerator<number, void> {
    const histories: History[] = [];
    yield* readMonitors(histories);
    yield* readJobs(histories);
    let removed = 0;
    for (let share = 1; share > leastShare;) {
      share = Math.min(nextShare(histories.map((history) => history.usedUp())), share);
      for (const history of histories) {
        while (history.usedUp() > share) {
          const count = await history.trim(share);
          if (count === null) break;
          removed += count;
          yield count;
        }
      }
      yield 0;
      // A round may find nothing, when what is above its share became needed meanwhile.
      share *= 0.95;
    }
    space.exhausted(removed === 0);
    if (removed === 0) restUntil = clock.monotonicMs() + exhaustedRestMs;
  }

  async function* readMonitors(histories: History[]): AsyncGenerator<number, void> {
    for await (const monitors of sweep(readPings, rowsPerStep)) {
      for (const { id, oldest, newest } of monitors) {
        if (oldest !== null) histories.push(pingsOf(id, oldest, newest));
      }
      yield 0;
    }
  }

  function pingsOf(id: string, first: number, newest: number): History {
    let oldest = first;
    const kept = (): number => newest - oldest + 1;
    return {
      usedUp: () => (kept() > alwaysKept ? kept() / pingsKept : 0),
      async trim(share) {
        const wanted = Math.max(alwaysKept, Math.floor(pingsKept * share));
        const upTo = oldest - 1 + Math.min(kept() - wanted, rowsAtOnce());
        const count = await remove('pings', (tx) => removePingsUpTo(tx, id, upTo));
        oldest = upTo + 1;
        return count;
      },
    };
  }

  async function* readJobs(histories: History[]): AsyncGenerator<number, void> {
    const keptFrom = new Map<string, number>();
    for await (const jobs of sweep(readKept, rowsPerStep)) {
      for (const job of jobs) keptFrom.set(job.id, job.keptFrom);
      yield 0;
    }
    const workspaces = new Map<string, { plan: PlanName; results: number; heads: Head[] }>();
    for await (const jobs of sweep(readResults, rowsPerStep)) {
      for (const { id: jobId, workspaceId, plan, results, oldestAt } of jobs) {
        const known = workspaces.get(workspaceId) ?? { plan, results: 0, heads: [] };
        workspaces.set(workspaceId, known);
        known.results += results;
        const from = keptFrom.get(jobId) ?? -Infinity;
        if (oldestAt !== null) known.heads.push({ jobId, oldestAt, keptFrom: from });
      }
      yield 0;
    }
    for (const { plan, results, heads } of workspaces.values()) {
      histories.push(resultsOf(plan, results, heads));
    }
  }

  function resultsOf(name: PlanName, all: number, heads: readonly Head[]): History {
    const plan = plans[name];
    const runs = mergeOldestFirst(heads);
    let results = all;
    return {
      usedUp() {
        if (runs.oldestAt === Infinity) return 0;
        const now = clock.now();
        // The age of runs says nothing while the clock may be wrong.
        return usedUp(plan, { results, oldestAt: isSteady ? runs.oldestAt : now, now });
      },
      async trim(share) {
        const kept = retentionOf(shareOf(plan, share), { results, now: clock.now() });
        const rows = rowsAtOnce();
        const aged = isSteady ? await runs.take(store.db, rows, kept.agedBefore) : [];
        const taken =
          aged.length > 0
            ? aged
            : await runs.take(store.db, Math.min(rows, kept.surplus), Infinity);
        if (taken.length === 0) return null;
        const count = await remove('results', (tx) => removeBeginnings(tx, taken));
        results -= count;
        return count;
      },
    };
  }

  async function remove(
    what: keyof EarlyCount,
    work: (tx: Store['db']) => Promise<number>,
  ): Promise<number> {
    let count: EarlyCount = { results: 0, pings: 0 };
    const removed = await writes.write(async (tx) => {
      const rows = await work(tx);
      count = { results: 0, pings: 0, [what]: rows };
      await space.note(tx, count);
      return rows;
    });
    space.noted(count);
    return removed;
  }

  return {
    name: 'early',
    writes,
    async step() {
      isSteady = isClockSteady();
      if ((await space.look()).length === 0) {
        pass = null;
        return null;
      }
      if (clock.monotonicMs() < restUntil) return null;
      pass ??= runPass();
      try {
        const { value } = await pass.next();
        if (value !== undefined) return value;
        pass = null;
        return null;
      } catch (error) {
        // What was taken from the histories may not have been removed.
        pass = null;
        throw error;
      }
    },
  };
}
