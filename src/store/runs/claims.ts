/**
 * What the engine asks to learn which runs to start, and writes before it starts them. A job with
 * an active run is never claimable; a due time that has a run already is never claimed again.
 */

import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { longestHeldMs } from '../../domain/runs/due.ts';
import type { Run } from '../../domain/runs/run.ts';
import { idList } from '../database/dialect.ts';
import { dueJobColumns, dueJobOf } from '../jobs/jobs.ts';
import type { DueJob } from '../jobs/jobs.ts';
import type { Db } from '../database/open.ts';
import { statement, statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';

/** A job that may be claimed; `host` is what the limit on calls to one host counts by. */
export interface ClaimableJob {
  job: DueJob;
  host: string;
}

/** A run waiting to be started, with its job. */
export interface QueuedRun extends ClaimableJob {
  runId: string;
  /** When it was asked for, in epoch milliseconds. */
  queuedAt: number;
}

/** How much to look for. */
export interface ClaimBounds {
  limit: number;
  /** Hosts that have as many calls in flight as one host may. */
  exceptHosts: readonly string[];
  /** Jobs that somebody holds; those about to be missed are found all the same. */
  exceptJobs: readonly string[];
}

const queuedRuns = statement((db: Db, of: Parameters<Bounds>) =>
  db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .select(dueJobColumns)
    .select(['host', 'runs.id as run_id', 'scheduled_for as queued_at'])
    .where('status', '=', sql.lit<'queued'>('queued'))
    .where('active_run_id', 'is', null)
    .where('deleted_at', 'is', null)
    .where(isNoneOf('host', of('hosts')))
    .where(isNoneOf('jobs.id', of('jobs')))
    .orderBy('scheduled_for')
    .limit(of('limit'))
    .compile(),
);

/** Runs asked for by hand, oldest first, whose jobs have no active run. */
export async function findQueuedRuns(db: Db, bounds: ClaimBounds): Promise<QueuedRun[]> {
  const rows = await queuedRuns(db, asParameters(bounds));
  return rows.map((row) => ({
    runId: row.run_id,
    queuedAt: row.queued_at,
    job: dueJobOf(row),
    host: row.host,
  }));
}

const dueJobs = statement((db: Db, of: Parameters<Bounds & Due>) =>
  db
    .selectFrom('jobs')
    .select(dueJobColumns)
    .select('host')
    .where('next_run_at', '<=', of('now'))
    .where('active_run_id', 'is', null)
    .where(isNoneOf('host', of('hosts')))
    .where(isNotHeld(of))
    .orderBy('next_run_at')
    .limit(of('limit'))
    .compile(),
);

/** Jobs that are due at `now`, the longest due first. */
export async function findDueJobs(
  db: Db,
  now: number,
  bounds: ClaimBounds,
): Promise<ClaimableJob[]> {
  const rows = await dueJobs(db, { ...dueBy(now), ...asParameters(bounds) });
  return rows.map((row) => ({ job: dueJobOf(row), host: row.host }));
}

/** Bounds as parameters of a statement. */
interface Bounds {
  limit: number;
  /** JSON. */
  hosts: string;
  jobs: string;
}

function asParameters({ limit, exceptHosts, exceptJobs }: ClaimBounds): Bounds {
  return {
    // SQLite takes less than none for as many as there are.
    limit: Math.max(0, limit),
    hosts: JSON.stringify(exceptHosts),
    jobs: JSON.stringify(exceptJobs),
  };
}

/** What is due, in epoch milliseconds; up to `urgent`, also what is held. */
interface Due {
  now: number;
  urgent: number;
}

function dueBy(now: number): Due {
  return { now, urgent: now - longestHeldMs };
}

function isNotHeld(of: Parameters<Pick<Bounds, 'jobs'> & Due>): RawBuilder<boolean> {
  return sql<boolean>`(${isNoneOf('jobs.id', of('jobs'))} or next_run_at <= ${of('urgent')})`;
}

function isNoneOf(column: string, values: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} not in (select value from json_each(${values}))`;
}

/** Whether a run asked for by hand could be started, of other jobs than these. */
export async function hasQueuedRuns(db: Db, exceptJobs: readonly string[]): Promise<boolean> {
  const found = await findQueuedRuns(db, { limit: 1, exceptHosts: [], exceptJobs });
  return found.length > 0;
}

const earliestDueTime = statement((db: Db, of: Parameters<Pick<Bounds, 'jobs'> & Due>) =>
  db
    .selectFrom('jobs')
    .select('next_run_at')
    .where('next_run_at', 'is not', null)
    .where('active_run_id', 'is', null)
    .where(isNotHeld(of))
    .orderBy('next_run_at')
    .limit(sql.lit(1))
    .compile(),
);

/**
 * When the next job becomes due that could be claimed at `now`, leaving out held ones (`exceptJobs`) as `findDueJobs`
 * does. In epoch milliseconds; null if there is none.
 */
export async function findEarliestDueTime(
  db: Db,
  now: number,
  exceptJobs: readonly string[],
): Promise<number | null> {
  const [row] = await earliestDueTime(db, { ...dueBy(now), jobs: JSON.stringify(exceptJobs) });
  return row?.next_run_at ?? null;
}

/** A due time's run as it begins: starting now, or missed. Times are epoch milliseconds. */
export interface ScheduledRun extends Pick<Run, 'id' | 'jobId' | 'scheduledFor'> {
  status: 'running' | 'missed';
  startedAt: number | null;
  /** 1 if it starts now: its first attempt begins as soon as it is kept. */
  attempts: number;
  error: string | null;
}

const insertRun = statementForEach((db: Db, of: Parameters<ScheduledRun>) =>
  sql`
    insert into runs (id, job_id, source, status, scheduled_for, started_at, attempts, error)
    values (${of('id')}, ${of('jobId')}, 'scheduled', ${of('status')},
            ${of('scheduledFor')}, ${of('startedAt')}, ${of('attempts')}, ${of('error')})
    on conflict (job_id, scheduled_for, source) do nothing`.compile(db),
);

/**
 * Keeps new runs of due times. Returns the ids of those kept: a due time that has a run already
 * (the wall clock was set back, say) is left alone.
 */
export async function insertScheduledRuns(
  db: Db,
  runs: readonly ScheduledRun[],
): Promise<Set<string>> {
  const isKept = await insertRun(db, runs);
  return new Set(runs.filter((_, index) => isKept[index]).map(({ id }) => id));
}

/** Turns queued runs into running ones. Returns the ids of those that were still queued. */
export async function startQueuedRuns(
  db: Db,
  runIds: readonly string[],
  startedAt: number,
): Promise<Set<string>> {
  if (runIds.length === 0) return new Set();
  const started = await sql<{ id: string }>`
    update runs set status = 'running', started_at = ${startedAt}, attempts = 1
    where id in ${idList(runIds)} and status = 'queued'
    returning id`.execute(db);
  return new Set(started.rows.map((row) => row.id));
}

/** Of these runs, the ids of those that the store has as running. */
export async function findRunning(db: Db, runIds: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where('id', 'in', idList(runIds))
    .where('status', '=', sql.lit<'running'>('running'))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** What claiming changes of a job. */
export interface ClaimedJob {
  id: string;
  nextRunAt: number | null;
  /** The run that starts now, or null if only missed due times were accounted for. */
  activeRunId: string | null;
  startedAt: number | null;
  /** Missed runs that were recorded with this claim. */
  missed: number;
}

const updateClaimed = statementForEach((db: Db, of: Parameters<ClaimedJob>) =>
  sql`
    update jobs set
      next_run_at = ${of('nextRunAt')},
      active_run_id = ${of('activeRunId')},
      last_run_at = coalesce(${of('startedAt')}, last_run_at),
      total_missed = total_missed + ${of('missed')}
    where id = ${of('id')} and active_run_id is null`.compile(db),
);

/** Moves claimed jobs on to their next due time and names the runs they execute. */
export async function updateClaimedJobs(db: Db, jobs: readonly ClaimedJob[]): Promise<void> {
  await updateClaimed(db, jobs);
}
