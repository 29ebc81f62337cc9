/** Chained jobs: which job runs after which, and the runs that follow from the end of another one. */

import { sql, type Selectable } from 'kysely';
import type { AfterOn } from '../../domain/jobs/after-words.ts';
import type { After } from '../../domain/jobs/after.ts';
import { makeUpDrops } from '../../domain/runs/reason.ts';
import type { RunCause } from '../../domain/runs/run.ts';
import { idList, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { JobRow } from '../database/schema.ts';
import type { Db } from '../database/store.ts';

/** What a row says of `after`. */
export function afterIn({
  after_job_id: jobId,
  after_on: on,
}: Pick<Selectable<JobRow>, 'after_job_id' | 'after_on'>): After | null {
  return jobId === null || on === null ? null : { jobId, on };
}

/**
 * 1 if somebody waits for the end of a job's run: a callback, or jobs that run after it. Else 0. Read with the claim, so that
 * the end of a run that nobody waits for needs no further statement.
 */
export const isFollowed = sql<number>`
  case when jobs.on_result is not null or exists (
    select 1 from jobs as followers
    where followers.after_job_id = jobs.id and followers.deleted_at is null) then 1 else 0 end`;

/** A job that runs after another one, or that another one runs after. */
export interface ChainedJob {
  id: string;
  name: string;
  on: AfterOn;
}

/** The first jobs that run after a job, in the order of their ids. */
export async function findFollowers(db: Db, jobId: string, limit: number): Promise<ChainedJob[]> {
  return await db
    .selectFrom('jobs')
    .select(['id', 'name'])
    .select((of) => of.ref('after_on').$notNull().as('on'))
    .where('after_job_id', '=', jobId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** A job and those before it in its chain, it first: at most `limit`. */
export async function findChainBefore(
  db: Db,
  jobId: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    with recursive chain (id, name, after_job_id, place) as (
      select id, name, after_job_id, 1 from jobs where id = ${jobId} and deleted_at is null
      union all
      select jobs.id, jobs.name, jobs.after_job_id, place + 1
      from chain join jobs on jobs.id = chain.after_job_id
      where jobs.deleted_at is null and place < ${limit})
    select id, name from chain order by place`.execute(db);
  return rows;
}

/** How many jobs run after a job, one after the other, in its longest chain: `limit` at most. */
export async function countChainAfter(db: Db, jobId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ length: number }>`
    with recursive chain (id, place) as (
      select id, 0 from jobs where id = ${jobId}
      union
      select jobs.id, place + 1
      from chain join jobs on jobs.after_job_id = chain.id
      where jobs.deleted_at is null and place < ${limit})
    select max(place) as length from chain`.execute(db);
  return rows[0]?.length ?? 0;
}

/** The end of a run that may start others, and the conditions that it meets. */
export interface Cause extends RunCause {
  conditions: readonly AfterOn[];
  /** Epoch milliseconds. */
  endedAt: number;
}

/** A run that the end of another one starts. */
export interface ChainedRun {
  id: string;
  jobId: string;
  workspaceId: string;
  cause: Cause;
}

/** The condition of the index, in the same words, so that SQLite uses it. */
const isQueued = sql<boolean>`status = 'queued'`;

/** The jobs that these ends start: those that are paused are left out. */
export async function findStarted(
  tx: Db,
  causes: readonly Cause[],
): Promise<Omit<ChainedRun, 'id'>[]> {
  const found = await tx
    .selectFrom('jobs')
    .select(['jobs.id as jobId', 'workspace_id as workspaceId', 'after_on'])
    .select((of) => of.ref('after_job_id').$notNull().as('afterJobId'))
    .where('after_job_id', 'in', idList(causes.map(({ jobId }) => jobId)))
    .where('deleted_at', 'is', null)
    .where('paused', '=', 0)
    .execute();
  const byJob = new Map(causes.map((cause) => [cause.jobId, cause]));
  return found.flatMap(({ jobId, workspaceId, after_on: on, afterJobId }) => {
    const cause = byJob.get(afterJobId);
    const isMet = on !== null && cause?.conditions.includes(on) === true;
    return isMet ? [{ jobId, workspaceId, cause }] : [];
  });
}

/** Runs that begin in one millisecond, or whose time is later than the clock, are looked for within this. */
const nearMs = 60_000;

/**
 * Keeps these runs as `queued`, each asked for when the other run ended, or just after the runs that have that time already, and for
 * the due time that the other run stands for.
 * A run that has started the job before starts it no second time, and none does where a run of the job waits already that is no replay
 * (one stands for a time of its own). Returns the ids of those kept.
 */
export async function insertChainedRuns(tx: Db, runs: readonly ChainedRun[]): Promise<Set<string>> {
  const elements = runs.map(({ id, jobId, workspaceId, cause }) => {
    const { jobId: causeJobId, runId: causeRunId, endedAt } = cause;
    return { id, jobId, workspaceId, causeJobId, causeRunId, endedAt };
  });
  const endedAt = numberOf('endedAt');
  const jobId = textOf('jobId');
  const causeRunId = textOf('causeRunId');
  const { rows } = await sql<{ id: string }>`
    insert into runs
      (id, job_id, workspace_id, source, status, scheduled_for, cause_job_id, cause_run_id, due_at)
    select ${textOf('id')}, ${jobId}, ${textOf('workspaceId')},
      'manual', 'queued', coalesce((
        select max(near.scheduled_for) + 1 from runs as near
        where near.job_id = ${jobId} and near.source = 'manual'
          and near.scheduled_for >= ${endedAt} and near.scheduled_for < ${endedAt} + ${nearMs}
        ), ${endedAt}),
      ${textOf('causeJobId')}, ${causeRunId},
      (select coalesce(due_at, last_due_at, scheduled_for) from runs where id = ${causeRunId})
    from ${rowsOf(elements)}
    where not exists (select 1 from runs where ${isQueued} and job_id = ${jobId}
      and (cause_run_id is not null or due_at is null))
    on conflict do nothing returning id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Drops the runs of these jobs that wait because another run ended or was missed: the jobs are paused now. */
export async function dropChainedRuns(tx: Db, jobIds: readonly string[]): Promise<void> {
  await dropMakeUps(tx, jobIds, 'paused');
  await tx
    .deleteFrom('runs')
    .where(isQueued)
    .where('job_id', 'in', idList(jobIds))
    .where('cause_run_id', 'is not', null)
    .execute();
}

/** A run that made up for a missed one until it was dropped. */
export interface DroppedMakeUp {
  jobId: string;
  missedRunId: string;
  /** The due time that it stood for, in epoch milliseconds. */
  dueAt: number;
}

/** Drops the runs that wait to make up for missed due times of these jobs. The missed runs keep why. */
export async function dropMakeUps(
  tx: Db,
  jobIds: readonly string[],
  why: keyof typeof makeUpDrops,
): Promise<DroppedMakeUp[]> {
  if (jobIds.length === 0) return [];
  const dropped = await tx
    .deleteFrom('runs')
    .where(isQueued)
    .where('job_id', 'in', idList(jobIds))
    .whereRef('cause_job_id', '=', 'job_id')
    .returning((of) => [
      'job_id as jobId',
      of.ref('cause_run_id').$notNull().as('missedRunId'),
      of.ref('due_at').$notNull().as('dueAt'),
    ])
    .execute();
  if (dropped.length === 0) return [];
  await tx
    .updateTable('runs')
    .set({ detail: makeUpDrops[why] })
    .where('id', 'in', idList(dropped.map(({ missedRunId }) => missedRunId)))
    .where('status', '=', 'missed')
    .execute();
  return dropped;
}
