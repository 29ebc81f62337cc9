/**
 * What becomes of the due times since a backup (docs/decisions/0005-due-times.md#0090). The database that is replaced
 * knows which it has decided on: these are neither called again nor missed here. Of those that nobody knows of, each job has a
 * missed run. What is due from the restore on is called as always.
 */

import { newId } from '../../domain/id.ts';
import { dueTimesFrom, holdsOf, nextHold } from '../../domain/runs/due.ts';
import { dueBetween, nextDue, type DueTimes } from '../../domain/schedule/next.ts';
import { scheduleOf, type Schedule } from '../../domain/schedule/schedule.ts';
import { coveredUntil, type Window } from '../../domain/windows.ts';
import { findHolds } from '../../store/accounts/windows.ts';
import type { Db } from '../../store/database/store.ts';
import { sweep, type SweepPage } from '../../store/database/sweep.ts';
import {
  findOverdueJobs,
  moveDueTimes,
  updateDueTimes,
  type OverdueJob,
} from '../../store/jobs/planned.ts';
import { keepHeld } from '../../store/jobs/schedule-spans.ts';
import { findRunningRuns } from '../../store/runs/ended.ts';
import { keepMissedRun } from '../../store/runs/missed.ts';
import { dropQueuedRuns } from '../../store/runs/runs.ts';
import { openFile } from '../../store/sqlite/file.ts';
import { hasDatabase, openFileAsItIs, storePath } from '../../store/sqlite/reader.ts';
import type { Received } from './received.ts';

/** What a restore found of the time since the backup. */
export interface SinceBackup {
  /** How many runs only the replaced database has; null if there was none, or it could not be compared. */
  runsSince: number | null;
  /** Due times that it had decided on. */
  decided: number;
  /** Due times of which nobody knows whether they were called. */
  unknown: number;
  /** Runs that waited to be started at the time of the backup, and are not known to wait still. */
  dropped: number;
  /** Calls in flight at the time of the backup: the next start records their runs as interrupted. */
  inFlight: number;
}

const jobsPerPage = 500;

/** Settles the due times of a received copy, whose tables are of this version, up to `now`. */
export async function settleDueTimes(
  { path }: Received,
  dataDir: string,
  now: number,
): Promise<SinceBackup> {
  const present = hasDatabase(dataDir) ? comparePresent(path, dataDir) : null;
  await using copy = openFileAsItIs(path);
  return await copy.db.transaction().execute(async (tx) => {
    // Runs that wait in the copy, but are not known to wait still, may have begun: they are not begun again.
    const dropped = await dropQueuedRuns(tx, present?.waiting ?? []);
    const inFlight = (await findRunningRuns(tx)).length;
    let [decided, unknown] = [0, 0];
    const find = (page: SweepPage) => findOverdueJobs(tx, page, now);
    for await (const jobs of sweep(find, jobsPerPage)) {
      const holds = await findHolds(tx, jobs);
      for (const job of jobs) {
        const next = present?.nextRunAt.get(job.id);
        if (next === undefined) unknown += await keepUnknown(tx, job, holds.get(job.id) ?? [], now);
        else decided += await keepDecided(tx, job, Math.min(now, (next ?? Infinity) - 1));
      }
    }
    return { runsSince: present?.runs ?? null, decided, unknown, dropped, inFlight };
  });
}

/** The schedule continues after what was decided on. Returns how many due times that were. */
async function keepDecided(tx: Db, job: OverdueJob, until: number): Promise<number> {
  const schedule = scheduleOf(job);
  const decided = dueBetween(schedule, job.nextRunAt - 1, until);
  if (decided === null) return 0;
  const planned = nextDue(schedule, until);
  await updateDueTimes(tx, [{ ...job, planned }], { at: until, reason: 'restored' });
  return decided.count;
}

/** Runs say what is not known; what windows of the copy hold is held. Returns of how many due times nothing is known. */
async function keepUnknown(
  tx: Db,
  job: OverdueJob,
  windows: readonly Window[],
  now: number,
): Promise<number> {
  const schedule = scheduleOf(job);
  let unknown = 0;
  for (const part of dueParts(schedule, job.nextRunAt, now, holdsOf(schedule, windows))) {
    const { isHeld, ...times } = part;
    const { first } = times;
    const planned = nextDue(schedule, times.last);
    if (isHeld) {
      await moveDueTimes(tx, [{ id: job.id, nextRunAt: first, planned }]);
      await keepHeld(tx, [{ job, held: times }]);
      continue;
    }
    const missed = { ...times, from: null, until: null };
    const run = { id: newId(now), jobId: job.id, scheduledFor: first, missed } as const;
    await keepMissedRun(tx, { ...run, reason: 'restored' }, planned);
    unknown += times.count;
  }
  return unknown;
}

/** What is due from `first`, which is a due time, up to a moment, in turns: what windows hold, and what they do not. */
function* dueParts(
  schedule: Schedule,
  first: number,
  until: number,
  holds: readonly Window[],
): Generator<DueTimes & { isHeld: boolean }> {
  let next: number | null = first;
  while (next !== null && next <= until) {
    const heldUntil = coveredUntil(holds, next);
    const end = heldUntil ?? nextHold(holds, next);
    const times = dueTimesFrom(schedule, next, Math.min(until, end - 1));
    yield { ...times, isHeld: heldUntil !== null };
    next = nextDue(schedule, times.last);
  }
}

/** What the present database knows. */
interface Present {
  /** How many runs only it has. */
  runs: number;
  /** Of each job, the first due time that it has not decided on; null if there is none. */
  nextRunAt: ReadonlyMap<string, number | null>;
  /** The runs that wait to be started. */
  waiting: readonly string[];
}

/** The ids of all runs of a database, also of those whose calls are in flight. */
function runsOf(database: 'present' | 'main'): string {
  return `select * from (select id from ${database}.runs
    union select active_run_id from ${database}.jobs where active_run_id is not null)`;
}

/** Null if there is none, or it cannot be compared, as it is damaged or has other tables. */
function comparePresent(path: string, dataDir: string): Present | null {
  const database = openFile(path, 0);
  try {
    database.prepare('attach ? as present').run(storePath(dataDir));
    const runs = database
      .prepare(`select count(*) from (${runsOf('present')} except ${runsOf('main')})`)
      .pluck()
      .get() as number;
    const jobs = database
      .prepare('select id, next_run_at from present.jobs where deleted_at is null')
      .raw()
      .all() as [string, number | null][];
    const waiting = database
      .prepare(`select id from present.runs where status = 'queued'`)
      .pluck()
      .all() as string[];
    return { runs, nextRunAt: new Map(jobs), waiting };
  } catch {
    return null;
  } finally {
    database.close();
  }
}
