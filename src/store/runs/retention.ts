/** What retention reads and removes: each job's history from its oldest run on, and never an open run. */

import { sql, type Selectable } from 'kysely';
import type { PlanName } from '../../domain/accounts/plan.ts';
import { larger } from '../database/dialect.ts';
import type { RunRow } from '../database/schema.ts';
import { statementForEach, type Parameters } from '../database/statement.ts';
import type { Db } from '../database/store.ts';
import type { SweepPage } from '../database/sweep.ts';
import type { RunPosition } from './runs.ts';

export interface JobHistory {
  /** Of the job. */
  id: string;
  accountId: string;
  workspaceId: string;
  plan: PlanName;
  /** Runs that are over, missed ones too. */
  results: number;
  /** When its oldest run was due, in epoch milliseconds; null if it has none. */
  oldestAt: number | null;
}

/** A page of jobs with their histories, without deleted jobs. */
export async function listHistories(db: Db, { afterId, limit }: SweepPage): Promise<JobHistory[]> {
  return await db
    .selectFrom('jobs')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .select(['jobs.id', 'account_id as accountId', 'workspace_id as workspaceId', 'plan'])
    .select((of) => [
      sql<number>`total_success + total_failed + total_interrupted + total_missed`.as('results'),
      of
        .selectFrom('runs')
        .select('scheduled_for')
        .whereRef('job_id', '=', 'jobs.id')
        .orderBy('scheduled_for')
        .limit(1)
        .as('oldestAt'),
    ])
    .where('jobs.id', '>', afterId)
    .where('jobs.deleted_at', 'is', null)
    .orderBy('jobs.id')
    .limit(limit)
    .execute();
}

/** The plan of an account, as it is now; undefined if the account is gone. */
export async function findPlan(db: Db, accountId: string): Promise<PlanName | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select('plan')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.plan;
}

/** A run that is over. */
export interface OldRun extends RunPosition, Pick<Selectable<RunRow>, 'id' | 'status'> {
  jobId: string;
  /** Of missed due times, the last one, in epoch milliseconds. */
  lastDueAt: number | null;
}

/** A job's oldest runs that are over, the oldest first, from the one after `after` on if it is given. */
export async function listOldestRuns(
  db: Db,
  jobId: string,
  { after, limit }: { after: RunPosition | null; limit: number },
): Promise<OldRun[]> {
  let query = db
    .selectFrom('runs')
    .select(['id', 'job_id as jobId', 'status', 'scheduled_for as scheduledFor', 'source'])
    .select('last_due_at as lastDueAt')
    .where('job_id', '=', jobId)
    .where(sql<boolean>`not (status = 'queued' or status = 'running')`)
    .orderBy('scheduled_for')
    .orderBy('source')
    .limit(limit);
  if (after !== null) {
    const { scheduledFor, source } = after;
    query = query.where(sql<boolean>`(scheduled_for, source) > (${scheduledFor}, ${source})`);
  }
  return await query.execute();
}

/** Each alone: SQLite keeps a journal of a statement that removes many rows with what belongs to them. */
const removeRun = statementForEach((db: Db, of: Parameters<Pick<OldRun, 'id' | 'jobId'>>) =>
  db
    .deleteFrom('runs')
    .where('id', '=', of('id'))
    .where((run) => {
      const alert = run.selectFrom('outbox').select('id').where('subject_id', '=', of('jobId'));
      return run.not(run.exists(alert.where('run_id', '=', of('id'))));
    })
    .compile(),
);

/** Of one job: runs that were removed by status, and the last of their due times. */
const nothingRemoved = { success: 0, failed: 0, interrupted: 0, missed: 0, from: 0 };
type Removed = typeof nothingRemoved & { jobId: string };

const subtract = statementForEach((db: Db, of: Parameters<Removed>) =>
  db
    .updateTable('jobs')
    .set((job) => ({
      total_success: job('total_success', '-', of('success')),
      total_failed: job('total_failed', '-', of('failed')),
      total_interrupted: job('total_interrupted', '-', of('interrupted')),
      total_missed: job('total_missed', '-', of('missed')),
      history_from: larger(sql.ref('history_from'), of('from')),
    }))
    .where('id', '=', of('jobId'))
    .compile(),
);

/**
 * Removes runs that are over, with their receipts, and subtracts them from their jobs' totals. Those that an alert will name stay.
 * Returns how many it removed.
 */
export async function removeRuns(tx: Db, runs: readonly OldRun[]): Promise<number> {
  const keys = runs.map(({ id, jobId }) => ({ id, jobId }));
  const isRemoved = await removeRun(tx, keys);
  const removed = runs.filter((_, index) => isRemoved[index]);
  await subtractRuns(tx, removed);
  return removed.length;
}

/** Subtracts runs that were removed from their jobs' totals. */
export async function subtractRuns(tx: Db, removed: readonly OldRun[]): Promise<void> {
  const counts = new Map<string, Removed>();
  for (const { jobId, status, scheduledFor, lastDueAt } of removed) {
    const count = counts.get(jobId) ?? { jobId, ...nothingRemoved };
    count[status as keyof typeof nothingRemoved] += 1;
    count.from = Math.max(count.from, lastDueAt ?? scheduledFor);
    counts.set(jobId, count);
  }
  await subtract(tx, [...counts.values()]);
}
