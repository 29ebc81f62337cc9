/**
 * Replan: when every job is due next is computed anew at each start, and when the wall clock was set
 * back. What was planned by a clock that was ahead would else wait until that clock is right, a year
 * perhaps; and another version of jobd may know other rules of a time zone.
 */

import type { Clock } from '../domain/clock.ts';
import { scheduleOf } from '../domain/job.ts';
import { nextDue } from '../domain/schedule/next.ts';
import { findPlannedJobs, updateDueTimes } from '../store/planned.ts';
import type { Store } from '../store/open.ts';

/** Jobs looked at in one step: some milliseconds. */
const jobsPerStep = 500;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

export interface Replanner {
  /** Begins with the first job again. */
  readonly restart: () => void;
  /** Looks at some jobs. Returns how long to rest, and how many due times it changed. */
  step(): Promise<{ restMs: number; changed: number }>;
}

/** Makes one that has all jobs before it. */
export function createReplanner(store: Store, clock: Clock): Replanner {
  /** Where to go on; null when all jobs have been looked at. */
  let position: { afterId: string } | null = { afterId: '' };
  return {
    restart() {
      position = { afterId: '' };
    },
    async step() {
      const from = position;
      if (from === null) return { restMs: Infinity, changed: 0 };
      const now = clock.now();
      const jobs = await findPlannedJobs(store.db, { ...from, dueAfter: now, limit: jobsPerStep });
      const changes = jobs
        .map((job) => ({ ...job, planned: nextDue(scheduleOf(job), now) }))
        .filter(({ nextRunAt, planned }) => planned !== nextRunAt);
      if (changes.length > 0) await store.write((tx) => updateDueTimes(tx, changes));
      // Unless it was to begin again meanwhile.
      if (position === from) position = nextPosition(jobs);
      return { restMs, changed: changes.length };
    },
  };
}

function nextPosition(jobs: readonly { id: string }[]): { afterId: string } | null {
  const last = jobs.length < jobsPerStep ? undefined : jobs.at(-1);
  return last === undefined ? null : { afterId: last.id };
}
