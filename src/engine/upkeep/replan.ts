/**
 * Replan: computes all due times of jobs and monitors again, at each start, when the wall clock was set
 * back, and when time-zone data has changed. Otherwise a due time from a clock that was ahead, or by a law that was
 * changed, would stand until then, perhaps for a year.
 */

import type { Clock } from '../../domain/clock.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { monitorAfter, type Monitor, type MonitorEvent } from '../../domain/monitors/monitor.ts';
import { dueTimesFrom } from '../../domain/runs/due.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import {
  findExpectingMonitors,
  findPingedMonitors,
  keepMonitorStates,
} from '../../store/monitors/monitors.ts';
import { cutSpans } from '../../store/jobs/schedule-spans.ts';
import { findPlannedJobs, updateDueTimes, type PlannedJob } from '../../store/jobs/planned.ts';
import { findMissedAhead, restateMissed, type MissedRun } from '../../store/runs/missed.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { sweep, type SweepPage } from '../../store/database/sweep.ts';

/** Rows read in one step: some milliseconds. */
const rowsPerStep = 500;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

export interface Replanner {
  /** Starts from the first row again. */
  readonly restart: () => void;
  /** Does a page of rows. Returns how long to rest in milliseconds, and how many rows changed. */
  step(): Promise<{ restMs: number; changed: number }>;
}

/** Makes a replanner of all jobs. */
export function createReplanner(store: Store, clock: Clock): Replanner {
  const find = async (page: SweepPage) => {
    const asked = clock.now();
    const jobs = await findPlannedJobs(store.db, { ...page, dueAfter: asked });
    const now = clock.now();
    return jobs.map((job) => ({ ...job, planned: plannedFor(job, asked, now), now }));
  };
  return createRestartable(async function* () {
    for await (const jobs of sweep(find, rowsPerStep)) {
      const moved = jobs.filter(({ nextRunAt, planned }) => planned !== nextRunAt);
      // A job without a due time, as it is paused or its account has expired, may have missed what is still to come.
      const others = jobs.filter(({ nextRunAt }) => nextRunAt === null);
      const { now } = jobs[0] ?? { now: clock.now() };
      const ahead = others.length === 0 ? [] : await findMissedAhead(store.db, idsOf(others), now);
      const changes = [...moved, ...begunAgain(others, ahead, now)];
      if (changes.length + ahead.length > 0) {
        await store.write(async (tx) => {
          await updateDueTimes(tx, changes, { at: now, reason: 'corrected' });
          await takeBackMissed(tx, idsOf([...moved, ...others]), now);
        });
      }
      yield changes.length;
    }
  });
}

/** Jobs whose schedules ended only by a clock that was ahead: they are due again. */
function begunAgain<Job extends PlannedJob & { isOver: number }>(
  jobs: readonly Job[],
  ahead: readonly MissedRun[],
  now: number,
): Job[] {
  const firstOf = new Map(ahead.map(({ jobId, scheduledFor }) => [jobId, scheduledFor]));
  return jobs.flatMap((job) => {
    const first = firstOf.get(job.id);
    if (job.isOver === 0 || first === undefined) return [];
    const schedule = scheduleOf(job);
    const next = nextDue(schedule, now);
    // The first one has its run.
    const planned = next === first ? nextDue(schedule, first) : next;
    return planned === null ? [] : [{ ...job, planned }];
  });
}

/** Due times that come only now were not missed (docs/behavior.md#schedule-6). */
async function takeBackMissed(tx: Db, jobIds: readonly string[], now: number): Promise<void> {
  const missed = await findMissedAhead(tx, jobIds, now);
  const restated = missed.map((run) => {
    // Perhaps not that of the job: it may have been changed before the clock was set right.
    return { id: run.id, ...dueTimesFrom(scheduleOf(run), run.scheduledFor, now) };
  });
  await restateMissed(tx, restated);
  await cutSpans(tx, new Set(missed.map(({ jobId }) => jobId)), now);
}

/**
 * When a job should be due that was looked for at `asked` and found by `now`. One that becomes due in between keeps that due
 * time, and one that is claimed in between does not get it back.
 */
function plannedFor(job: PlannedJob, asked: number, now: number): number | null {
  if (job.nextRunAt === null) return null;
  const schedule = scheduleOf(job);
  return nextDue(schedule, asked) === job.nextRunAt ? job.nextRunAt : nextDue(schedule, now);
}

function idsOf(jobs: readonly PlannedJob[]): string[] {
  return jobs.map(({ id }) => id);
}

/** Makes a replanner of all monitors: when their next pings are due. */
export function createMonitorReplanner(store: Store, clock: Clock): Replanner {
  const find = (page: SweepPage) => findExpectingMonitors(store.db, page);
  return createRestartable(async function* () {
    for await (const monitors of sweep(find, rowsPerStep)) {
      const event = { type: 'clock', at: clock.now() } as const;
      const ids = changedBy(event, monitors).map(({ id }) => id);
      if (ids.length > 0) {
        await store.write(async (tx) => {
          // Read again: a ping may have come in between.
          const pinged = await findPingedMonitors(tx, ids);
          const current = [...pinged.values()].map(({ monitor }) => monitor);
          await keepMonitorStates(tx, changedBy(event, current));
        });
      }
      yield ids.length;
    }
  });
}

function changedBy(event: MonitorEvent, monitors: readonly Monitor[]): Monitor[] {
  return monitors
    .map((before) => ({ before, after: monitorAfter(before, event) }))
    .filter(({ before, after }) => after !== before)
    .map(({ after }) => after);
}

/** Repeats a pass that yields after each step how many rows it changed. A failed pass starts again. */
function createRestartable(begin: () => AsyncGenerator<number, void>): Replanner {
  let pass: AsyncGenerator<number, void> | null = begin();
  return {
    restart() {
      pass = begin();
    },
    async step() {
      const current = pass;
      if (current === null) return { restMs: Infinity, changed: 0 };
      try {
        const { value } = await current.next();
        if (value !== undefined) return { restMs, changed: value };
        if (pass === current) pass = null;
        return { restMs: pass === null ? Infinity : restMs, changed: 0 };
      } catch (error) {
        pass = begin();
        throw error;
      }
    },
  };
}
