/** How a workspace is doing, in numbers that all who look at it share. */

import { setImmediate } from 'node:timers/promises';
import { msPerDay } from '../../domain/clock.ts';
import { holdsOf } from '../../domain/runs/due.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { aboutOf, isAboutNothing, type About } from '../../domain/window-words.ts';
import { holdsAmong, periodAt, type Window } from '../../domain/windows.ts';
import { listWindows } from '../../store/accounts/windows.ts';
import { countJobs, countMonitors, type MonitorCounts } from '../../store/overview/counts.ts';
import type { Db } from '../../store/database/store.ts';
import { findRunningJobs, listJobsOf, type PlacedJob } from '../../store/overview/jobs.ts';
import { countTrouble, type TroubleCounts } from '../../store/overview/trouble.ts';
import type { Ground, Principal } from '../app.ts';
import { keptIn, stillGood, type Kept } from './kept.ts';

/** Jobs by state; `running` ones are in their states too. */
export type JobCounts = Omit<MonitorCounts, 'late'> & { running: number };

/** A window in its time, and until when, in epoch milliseconds. */
type WindowNow = { id: string; name: string; until: number } & About;

export interface Overview {
  jobs: JobCounts;
  /** `isPartial`: the newest 5,000 were counted, and there may be more. */
  monitors: MonitorCounts & { isPartial: boolean };
  /** Runs that were no success in the last 24 hours; `isPartial`: the newest 10,000 were counted, and there may be more. */
  lastDay: TroubleCounts & { isPartial: boolean };
  /** Windows that mute alerts, and those that hold jobs or monitors. */
  mutes: WindowNow[];
  holds: WindowNow[];
  /** When it was counted, in epoch milliseconds. */
  asOf: number;
}

/** How long an overview is good for, so that many viewers cost no more than one. */
const goodForMs = 1_000;
/** A count above this is kept for a minute. */
const manyJobs = 10_000;
const manyGoodForMs = 60_000;
/** Jobs that are counted at once; other work may go on in between. */
const countedAtOnce = 5_000;
const mostMonitors = 5_000;
const mostRuns = 10_000;

type Counted = 'all' | 'down' | 'new' | 'paused';

/** Makes a function that returns the overview of the principal's workspace. */
export function createOverview({ store, clock }: Ground) {
  const overviews = new Map<string, Kept<Promise<Overview>>>();
  const largeCounts = new Map<string, Kept<number>>();

  async function countAll(workspaceId: string, counted: Counted): Promise<number> {
    const name = `${workspaceId} ${counted}`;
    const known = stillGood(largeCounts, name, clock.monotonicMs());
    if (known !== undefined) return known;
    let total = 0;
    for (let afterId = ''; ; await setImmediate()) {
      const page = { afterId, limit: countedAtOnce };
      const { count, lastId } = await countJobs(store.db, workspaceId, counted, page);
      total += count;
      if (count < countedAtOnce) break;
      afterId = lastId;
    }
    if (total > manyJobs) {
      largeCounts.set(name, { until: clock.monotonicMs() + manyGoodForMs, value: total });
    }
    return total;
  }

  async function countIn(workspaceId: string): Promise<Overview> {
    const { db } = store;
    const now = clock.now();
    const total = await countAll(workspaceId, 'all');
    const down = await countAll(workspaceId, 'down');
    const fresh = await countAll(workspaceId, 'new');
    const paused = await countAll(workspaceId, 'paused');
    await setImmediate();
    const running = await findRunningJobs(db, workspaceId);
    const monitors = await countMonitors(db, workspaceId, { now, limit: mostMonitors });
    await setImmediate();
    const ofTrouble = { since: now - msPerDay, rows: mostRuns };
    const lastDay = await countTrouble(db, workspaceId, ofTrouble);
    const troubles = lastDay.failed + lastDay.interrupted + lastDay.missed;
    return {
      jobs: {
        total,
        down,
        running: running.length,
        // The total may be older than the others.
        up: Math.max(0, total - down - fresh - paused),
        paused,
        new: fresh,
      },
      monitors: { ...monitors, isPartial: monitors.total === mostMonitors },
      lastDay: { ...lastDay, isPartial: troubles === mostRuns },
      ...(await windowsAt(db, workspaceId, now)),
      asOf: now,
    };
  }

  return async ({ workspaceId }: Pick<Principal, 'workspaceId'>): Promise<Overview> => {
    const at = clock.monotonicMs();
    return await keptIn(overviews, workspaceId, at, goodForMs, () => countIn(workspaceId));
  };
}

/** Which windows are in their time, for what they mute or hold: that is no one-time job (docs/behavior.md#hold-1). */
async function windowsAt(db: Db, workspaceId: string, now: number) {
  const windows = (await listWindows(db, workspaceId)).filter((one) => periodAt(one, now) !== null);
  const ids = holdsAmong(windows).flatMap(({ jobIds }) => jobIds ?? []);
  const page = { search: null, limit: ids.length };
  const chosen = ids.length === 0 ? [] : await listJobsOf(db, workspaceId, ids, page);
  const isHeld = (job: PlacedJob): boolean => holdsOf(scheduleOf(job), windows).length > 0;
  const held = new Set(chosen.filter(isHeld).map(({ id }) => id));
  const of = (effect: Window['effect']): WindowNow[] =>
    windows.flatMap((window) => {
      const period = window.effect === effect ? periodAt(window, now) : null;
      const jobIds = window.jobIds?.filter((id) => effect === 'mute' || held.has(id)) ?? null;
      const about = aboutOf({ ...window, jobIds });
      if (period === null || isAboutNothing(about)) return [];
      return [{ id: window.id, name: window.name, ...about, until: period.until }];
    });
  return { mutes: of('mute'), holds: of('hold') };
}
