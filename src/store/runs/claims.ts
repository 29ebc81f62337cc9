/**
 * What the engine reads to learn which runs to start, and writes before it starts them. A job with an active run is
 * never claimed, and a due time that already has a run is never claimed again. These statements are compiled once
 * (`statement.ts`): they run for every run.
 */

import { sql, type InsertObject, type RawBuilder } from 'kysely';
import { longestHeldMs } from '../../domain/runs/due.ts';
import type { MissedFacts, MissedReason } from '../../domain/runs/reason.ts';
import type { Run } from '../../domain/runs/run.ts';
import { freeRowLock, idList, isStill, locksRows, textsIn } from '../database/dialect.ts';
import { isFollowed } from '../jobs/chains.ts';
import { dueJobColumns, type DueJob } from '../jobs/jobs.ts';
import { countRows } from '../database/count.ts';
import type { Schema } from '../database/schema.ts';
import type { Db } from '../database/store.ts';
import { isShared, statement, statementForEach, type Parameters } from '../database/statement.ts';
import { holdJobs } from './held.ts';
import { workspaceOf } from './runs.ts';

/** A job that may be claimed. Calls in flight are limited by `host`. */
export interface ClaimableJob {
  job: DueJob;
  host: string;
  /** Whether somebody waits for the end of its runs (`isFollowed`). */
  isFollowed: boolean;
  /** The latest due time that was claimed, in epoch milliseconds; null if none was. */
  claimedUpTo: number | null;
}

/** A run waiting to be started, with its job. */
export interface QueuedRun extends ClaimableJob {
  runId: string;
  /** When it was asked for, in epoch milliseconds. */
  queuedAt: number;
  /** The due time that it stands for; null for when it was asked for. */
  dueAt: number | null;
  /** Whether the end of another run caused it; else somebody asked for it. */
  isChained: boolean;
}

/** In the place of a host: all slots. */
export const allHosts = '*';

/** What to find. */
export interface ClaimBounds {
  limit: number;
  /** Hosts without free slots. */
  exceptHosts: readonly string[];
  /** Places of which workspaces leave the last slots to others: `HOST ID`, or of all slots `* ID`. Default: none. */
  exceptShares?: readonly string[];
  /** Held jobs. They are found anyway when their due times would be missed otherwise. */
  exceptJobs: readonly string[];
  /** Jobs that were due by then are not looked for, in epoch milliseconds. Default: all are. */
  dueAfter?: number | undefined;
}

const queuedRuns = statement((db: Db, of: Parameters<Bounds>) =>
  db
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .select(dueJobColumns)
    .select(isFollowed.as('is_followed'))
    .select(['host', 'claimed_up_to', 'runs.id as run_id', 'cause_run_id', 'due_at'])
    .select('scheduled_for as queued_at')
    .where('status', '=', sql.lit<'queued'>('queued'))
    .where('active_run_id', 'is', null)
    .where('deleted_at', 'is', null)
    .where(isNoneOf('host', of('hosts')))
    .where(isNoShareOf('runs.workspace_id', of('shares')))
    .where(isNoneOf('jobs.id', of('jobs')))
    .orderBy(sql`(cause_run_id is not null)`)
    .orderBy('scheduled_for')
    .limit(of('limit'))
    .$if(locksRows(db), (query) => query.modifyEnd(freeRowLock('jobs')))
    .compile(),
);

/** Runs that wait and whose jobs have no active run: those that people asked for, then chained ones, each oldest first. */
export async function findQueuedRuns(db: Db, bounds: ClaimBounds): Promise<QueuedRun[]> {
  const rows = await queuedRuns(db, asParameters(bounds));
  return rows.map((row) => ({
    runId: row.run_id,
    queuedAt: row.queued_at,
    dueAt: row.due_at,
    job: row,
    host: row.host,
    isFollowed: row.is_followed === 1,
    claimedUpTo: row.claimed_up_to,
    isChained: row.cause_run_id !== null,
  }));
}

const dueJobs = statement((db: Db, of: Parameters<Bounds & Due & { after: number }>) =>
  db
    .selectFrom('jobs')
    .select(dueJobColumns)
    .select(['host', 'claimed_up_to', isFollowed.as('is_followed')])
    .where('next_run_at', '>', of('after'))
    .where('next_run_at', '<=', of('now'))
    .where('active_run_id', 'is', null)
    .where(isNoneOf('host', of('hosts')))
    .where(isNoShareOf('workspace_id', of('shares')))
    .where(isNotHeld(of))
    .orderBy('next_run_at')
    .limit(of('limit'))
    .$if(locksRows(db), (query) => query.modifyEnd(freeRowLock('jobs')))
    .compile(),
);

/** Jobs that are due at `now`, the longest due first. */
export async function findDueJobs(
  db: Db,
  now: number,
  bounds: ClaimBounds,
): Promise<ClaimableJob[]> {
  const { dueAfter: after = Number.MIN_SAFE_INTEGER } = bounds;
  const due = { now, after, urgent: now - longestHeldMs };
  const rows = await dueJobs(db, { ...due, ...asParameters(bounds) });
  return rows.map((row) => ({
    job: row,
    host: row.host,
    isFollowed: row.is_followed === 1,
    claimedUpTo: row.claimed_up_to,
  }));
}

/** Counts jobs that are due at `now` and have no active run, up to `limit`. */
export async function countDueJobs(db: Db, now: number, limit: number): Promise<number> {
  const due = db
    .selectFrom('jobs')
    .select('next_run_at')
    .where('next_run_at', '<=', now)
    .where('active_run_id', 'is', null)
    .limit(limit);
  return await countRows(db, due.as('due'));
}

/** Bounds as parameters of a statement. */
interface Bounds {
  limit: number;
  /** JSON. */
  hosts: string;
  shares: string;
  jobs: string;
}

function asParameters({ limit, exceptHosts, exceptJobs, ...more }: ClaimBounds): Bounds {
  return {
    // To SQLite a negative limit means no limit.
    limit: Math.max(0, limit),
    hosts: JSON.stringify(exceptHosts),
    shares: JSON.stringify(more.exceptShares ?? []),
    jobs: JSON.stringify(exceptJobs),
  };
}

/** Epoch milliseconds. Held jobs that were due by `urgent` are found too. */
interface Due {
  now: number;
  urgent: number;
}

function isNotHeld(of: Parameters<Pick<Bounds, 'jobs'> & Due>): RawBuilder<boolean> {
  return sql<boolean>`(${isNoneOf('jobs.id', of('jobs'))} or next_run_at <= ${of('urgent')})`;
}

function isNoShareOf(workspace: string, shares: RawBuilder<string>): RawBuilder<boolean> {
  const id = sql.ref(workspace);
  return sql<boolean>`(${sql.lit(`${allHosts} `)} || ${id} not in ${textsIn(shares)} and host || ' ' || ${id} not in ${textsIn(shares)})`;
}

function isNoneOf(column: string, values: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} not in ${textsIn(values)}`;
}

/** Whether a run that waits, of another job than these, could be started. */
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

/** When the next job becomes due, in epoch milliseconds, or null. It ignores the held jobs (`exceptJobs`) of `findDueJobs` at `now`. */
export async function findEarliestDueTime(
  db: Db,
  now: number,
  exceptJobs: readonly string[],
): Promise<number | null> {
  const due = { now, urgent: now - longestHeldMs, jobs: JSON.stringify(exceptJobs) };
  const [row] = await earliestDueTime(db, due);
  return row?.next_run_at ?? null;
}

/**
 * A run of a due time that starts now, and has a row from its claim on: its first attempt begins as soon as it is kept. Times are
 * epoch milliseconds.
 */
export interface StartingRun extends Pick<Run, 'id' | 'jobId' | 'scheduledFor'> {
  startedAt: number;
}

const insertStarting = statementForEach((db: Db, of: Parameters<StartingRun>) =>
  insertScheduled(db, of, {
    status: 'running',
    started_at: of('startedAt'),
    attempts: 1,
  }),
);

/** A new run that stands for due times that were missed. Times are epoch milliseconds. */
export interface MissedRun extends Pick<Run, 'id' | 'jobId' | 'scheduledFor'> {
  reason: MissedReason;
  missed: MissedFacts;
}

const insertMissed = statementForEach((db: Db, of: Parameters<ReturnType<typeof missedRow>>) =>
  insertScheduled(db, of, {
    status: 'missed',
    reason: of('reason'),
    last_due_at: of('last'),
    missed_count: of('count'),
    hindered_from: of('from'),
    hindered_until: of('until'),
  }),
);

function missedRow({ missed, ...run }: MissedRun) {
  return { ...run, ...missed };
}

function insertScheduled(
  db: Db,
  of: Parameters<Pick<Run, 'id' | 'jobId' | 'scheduledFor'>>,
  values: Partial<InsertObject<Schema, 'runs'>> & Pick<InsertObject<Schema, 'runs'>, 'status'>,
) {
  return db
    .insertInto('runs')
    .values({
      id: of('id'),
      job_id: of('jobId'),
      workspace_id: workspaceOf(of('jobId')),
      source: 'scheduled',
      scheduled_for: of('scheduledFor'),
      ...values,
    })
    .onConflict((same) => same.columns(['job_id', 'scheduled_for', 'source']).doNothing())
    .compile();
}

/**
 * Keeps new runs of due times. Returns the ids of those kept: a due time that already has a run is left alone. That
 * happens when the wall clock was set back.
 */
export async function insertScheduledRuns(
  db: Db,
  runs: readonly (StartingRun | MissedRun)[],
): Promise<Set<string>> {
  const starting = runs.filter((run): run is StartingRun => !('missed' in run));
  const missed = runs.filter((run): run is MissedRun => 'missed' in run);
  const isKept = [
    ...(await insertStarting(db, starting)),
    ...(await insertMissed(db, missed.map(missedRow))),
  ];
  return new Set([...starting, ...missed].filter((_, index) => isKept[index]).map(({ id }) => id));
}

const startRun = statementForEach((db: Db, of: Parameters<StartedRun>) =>
  db
    .updateTable('runs')
    .set({ status: 'running', started_at: of('startedAt'), attempts: 1 })
    .where('id', '=', of('id'))
    .where(isStill('status', sql.lit<'queued'>('queued')))
    .compile(),
);

/** A queued run that starts; `startedAt` in epoch milliseconds. */
interface StartedRun {
  id: string;
  startedAt: number;
}

/** Turns queued runs into running ones. Returns the ids of those that were still queued. */
export async function startQueuedRuns(db: Db, runs: readonly StartedRun[]): Promise<Set<string>> {
  const isStarted = await startRun(db, runs);
  return new Set(runs.filter((_, index) => isStarted[index]).map(({ id }) => id));
}

/**
 * The ids of those of these runs that this node has under way, although the commit of their claim failed: another node may have
 * claimed a queued one since. Where the database is a server, it may still be at that commit: it holds the rows of the jobs,
 * which are waited for.
 */
export async function findDoubtful(
  db: Db,
  claimed: readonly Claimed[],
  nodeId: string | null,
): Promise<Set<string>> {
  const find = async (tx: Db): Promise<Set<string>> => {
    const jobIds = claimed.map(({ jobId }) => jobId);
    await holdJobs(tx, jobIds);
    const rows = await tx
      .selectFrom('jobs')
      .select((of) => of.ref('active_run_id').$notNull().as('id'))
      .where('id', 'in', idList(claimed.map(({ jobId }) => jobId)))
      .where('active_run_id', 'in', idList(claimed.map(({ runId }) => runId)))
      .where('active_node_id', nodeId === null ? 'is' : '=', nodeId)
      .execute();
    return new Set(rows.map(({ id }) => id));
  };
  return isShared(db) ? await db.transaction().execute(find) : await find(db);
}

/** A run of a claim. */
interface Claimed {
  runId: string;
  jobId: string;
}

/** What claiming changes of a job. Times are epoch milliseconds. */
export interface ClaimedJob {
  id: string;
  nextRunAt: number | null;
  /** The latest due time that was claimed. */
  claimedUpTo: number | null;
  /** The run that starts now; null if due times were only missed. So are the following. */
  activeRunId: string | null;
  /** When it was due, or asked for. */
  activeFor: number | null;
  startedAt: number | null;
  /** The node that starts it; null where one process has the database to itself. */
  nodeId: string | null;
  /** Missed runs that were recorded with this claim. */
  missed: number;
}

/** Sets the next due times of claimed jobs and the runs they execute. */
export const updateClaimedJobs = statementForEach((db: Db, of: Parameters<ClaimedJob>) =>
  db
    .updateTable('jobs')
    .set((job) => ({
      next_run_at: of('nextRunAt'),
      claimed_up_to: of('claimedUpTo'),
      active_run_id: of('activeRunId'),
      active_for: of('activeFor'),
      active_since: of('startedAt'),
      active_node_id: of('nodeId'),
      last_run_at: job.fn.coalesce(of('startedAt'), 'last_run_at'),
      total_missed: job('total_missed', '+', of('missed')),
    }))
    .where('id', '=', of('id'))
    .where('active_run_id', 'is', null)
    .compile(),
);
