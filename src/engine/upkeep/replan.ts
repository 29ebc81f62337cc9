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
import {
  findPlannedJobs,
  updateDueTimes,
  type DueTimeChange,
  type PlannedJob,
} from '../../store/jobs/planned.ts';
import { countChecksAfter } from '../../store/runs/ledger-checks.ts';
import { holdJobs } from '../../store/runs/held.ts';
import {
  cutHindrances,
  findFirstRuns,
  findMissedAhead,
  removeMissed,
  restateMissed,
  type MissedRun,
} from '../../store/runs/missed.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { sweep, type SweepPage } from '../../store/database/sweep.ts';

/** Rows read in one step: some milliseconds. */
const rowsPerStep = 500;
/** Between steps, so that calls and requests come first. */
const restMs = 5;
/** If the ledger was checked on this many days later than now, no clock was ahead for that long: this one is behind. */
const daysOfBehind = 7;

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
      const { now } = jobs[0] ?? { now: clock.now() };
      const isBehind = (await countChecksAfter(store.db, now)) >= daysOfBehind;
      // A job without a due time, as it is paused or its account has expired, may have missed what is still to come.
      const others = isBehind ? [] : jobs.filter(({ nextRunAt }) => nextRunAt === null);
      const ahead = others.length === 0 ? [] : await findMissedAhead(store.db, idsOf(others), now);
      const isRight = moved.length + ahead.length === 0;
      const correct = async (tx: Db): Promise<number> => {
        if (!isBehind) await takeBackMissed(tx, idsOf([...moved, ...others]), now);
        const planned = await untaken(tx, [...moved, ...begunAgain(others, ahead, now)]);
        const changes = planned.filter((job) => job.planned !== job.nextRunAt);
        await updateDueTimes(tx, changes, { at: now, reason: 'corrected' });
        return changes.length;
      };
      yield isRight ? 0 : await store.write(correct);
    }
  });
}

/** Jobs whose schedules ended only by a clock that was ahead: they are due again. */
function begunAgain<Job extends PlannedJob & { isOver: number }>(
  jobs: readonly Job[],
  ahead: readonly MissedRun[],
  now: number,
): Job[] {
  const isMissed = new Set(ahead.map(({ jobId }) => jobId));
  return jobs.flatMap((job) => {
    if (job.isOver === 0 || !isMissed.has(job.id)) return [];
    const planned = nextDue(scheduleOf(job), now);
    return planned === null ? [] : [{ ...job, planned }];
  });
}

/** Due times one after the other that have runs, which are looked at. What then remains is passed over when it is due. */
const mostTaken = 60;

/** The same, planned for due times that have no runs: a clock that was ahead may have called or missed the next ones. */
async function untaken<Job extends DueTimeChange>(db: Db, jobs: readonly Job[]): Promise<Job[]> {
  const planned = new Map(jobs.map((job) => [job.id, job]));
  let open = [...jobs];
  for (let turn = 0; turn < mostTaken && open.length > 0; turn += 1) {
    const spans = open.flatMap(({ id: jobId, planned: at }) =>
      at === null ? [] : [{ jobId, first: at, last: at }],
    );
    const taken = await findFirstRuns(db, spans);
    open = open.flatMap((job) => {
      const at = taken.get(job.id);
      return at === undefined ? [] : [{ ...job, planned: nextDue(scheduleOf(job), at) }];
    });
    for (const job of open) planned.set(job.id, job);
  }
  return [...planned.values()];
}

/** Due times that come only now were not missed (docs/behavior.md#schedule-6). */
async function takeBackMissed(tx: Db, jobIds: readonly string[], now: number): Promise<void> {
  await holdJobs(tx, jobIds);
  const missed = await findMissedAhead(tx, jobIds, now);
  const restated = missed.map((run) => {
    // Perhaps not that of the job: it may have been changed before the clock was set right.
    return { id: run.id, ...dueTimesFrom(scheduleOf(run), run.scheduledFor, now) };
  });
  await restateMissed(tx, restated);
  await removeMissed(tx, idsOf(missed.filter(({ scheduledFor }) => scheduledFor > now)));
  await cutHindrances(tx, jobIds, now);
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

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
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
  const after = monitors.map((monitor) => monitorAfter(monitor, event));
  return after.filter((monitor, index) => monitor !== monitors[index]);
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
