/** What retention reads and removes: each job's history from its oldest run on, and never an open run. */

import { sql, type Selectable } from 'kysely';
import type { PlanName } from '../../domain/accounts/plan.ts';
import { joinInOrder, larger, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { RunRow } from '../database/schema.ts';
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

/** A job's oldest runs, the oldest first, from the one after `after` on if it is given. */
export async function listOldestRuns(
  db: Db,
  jobId: string,
  { after, limit }: { after: RunPosition | null; limit: number },
): Promise<RunPosition[]> {
  let query = db
    .selectFrom('runs')
    .select(['scheduled_for as scheduledFor', 'source'])
    .where('job_id', '=', jobId)
    .orderBy('scheduled_for')
    .orderBy('source')
    .limit(limit);
  if (after !== null) {
    const { scheduledFor, source } = after;
    query = query.where(sql<boolean>`(scheduled_for, source) > (${scheduledFor}, ${source})`);
  }
  return await query.execute();
}

/** The beginning of a job's history, up to and including one of its runs. */
export interface Beginning extends RunPosition {
  jobId: string;
}

type RemovedRun = Pick<Selectable<RunRow>, 'job_id' | 'status' | 'scheduled_for' | 'last_due_at'>;

/** Of one job: runs by status, and the last of their due times. */
const nothingRemoved = { success: 0, failed: 0, interrupted: 0, missed: 0, from: 0 };

/**
 * Removes the runs at the beginnings of histories, with their receipts, and subtracts them from their jobs' totals.
 * Open runs stay, and those that an alert will name. Returns how many runs it removed.
 */
export async function removeBeginnings(tx: Db, beginnings: readonly Beginning[]): Promise<number> {
  const removed = await sql<RemovedRun>`
    delete from runs where id in (
      select runs.id from ${rowsOf(beginnings)}
      ${joinInOrder} runs on runs.job_id = ${textOf('jobId')}
        and (runs.scheduled_for, runs.source) <= (${numberOf('scheduledFor')}, ${textOf('source')})
      where not (status = 'queued' or status = 'running')
        and not exists (select 1 from outbox where subject_id = runs.job_id and run_id = runs.id))
    returning job_id, status, scheduled_for, last_due_at`.execute(tx);
  const counts = new Map<string, Record<string, number | string>>();
  for (const { job_id: jobId, status, scheduled_for, last_due_at } of removed.rows) {
    const count = counts.get(jobId) ?? { jobId, ...nothingRemoved };
    count[status] = Number(count[status]) + 1;
    count['from'] = Math.max(Number(count['from']), last_due_at ?? scheduled_for);
    counts.set(jobId, count);
  }
  await sql`
    update jobs set
      total_success = total_success - ${numberOf('success')},
      total_failed = total_failed - ${numberOf('failed')},
      total_interrupted = total_interrupted - ${numberOf('interrupted')},
      total_missed = total_missed - ${numberOf('missed')},
      history_from = ${larger(sql.ref('history_from'), numberOf('from'))}
    from ${rowsOf([...counts.values()])}
    where jobs.id = ${textOf('jobId')}`.execute(tx);
  return removed.rows.length;
}
