/** What the ledger reads of runs: from indexes alone, however long a history is. */

import { sql } from 'kysely';
import type { KeptRun, Period } from './accounted.ts';
import type { Db } from '../../store/database/store.ts';
import { everyRun, isBad, isOfOwnDueTime } from '../../store/runs/runs.ts';

/** What the ledger needs of a job. Times are epoch milliseconds. */
export interface LedgerJob {
  id: string;
  name: string;
  nextRunAt: number | null;
  /** Up to it, runs may have been removed because they were old. */
  historyFrom: number;
  /** Whether it has runs: those that never had one are many one-time jobs that wait. */
  hasRuns: 0 | 1;
}

/** A page of jobs that are not deleted: of a workspace, or of all (null), from the one after `afterId` on. */
export async function listLedgerJobs(
  db: Db,
  workspaceId: string | null,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<LedgerJob[]> {
  const page = ledgerJobs(db, workspaceId).where('id', '>', afterId).orderBy('id').limit(limit);
  return await page.execute();
}

/** The job with this id, unless it is deleted: of a workspace, or of any (null); else undefined. */
export async function findLedgerJob(
  db: Db,
  workspaceId: string | null,
  id: string,
): Promise<LedgerJob | undefined> {
  return await ledgerJobs(db, workspaceId).where('id', '=', id).executeTakeFirst();
}

function ledgerJobs(db: Db, workspaceId: string | null) {
  const hasRuns = sql<0 | 1>`case when active_run_id is not null
    or exists (select 1 from runs where job_id = jobs.id) then 1 else 0 end`;
  return db
    .selectFrom('jobs')
    .select(['id', 'name', 'next_run_at as nextRunAt', 'history_from as historyFrom'])
    .select(hasRuns.as('hasRuns'))
    .$if(workspaceId !== null, (query) => query.where('workspace_id', '=', workspaceId))
    .where('deleted_at', 'is', null);
}

/** Due times of a job's scheduled runs in a period, the oldest first. */
export async function listDueTimes(
  db: Db,
  jobId: string,
  { after, until }: Period,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom(everyRun)
    .select('scheduled_for')
    .where('job_id', '=', jobId)
    .where('source', '=', 'scheduled')
    .where('scheduled_for', '>', after)
    .where('scheduled_for', '<=', until)
    .orderBy('scheduled_for')
    .limit(limit)
    .execute();
  return rows.map((row) => row.scheduled_for);
}

/** A job's missed runs in a period, and the last one before it; the oldest first. */
export async function listMissed(
  db: Db,
  jobId: string,
  { after, until }: Period,
): Promise<KeptRun[]> {
  const missed = db
    .selectFrom('runs')
    .select('scheduled_for as scheduledFor')
    .select(sql<number>`coalesce(last_due_at, scheduled_for)`.as('lastDueAt'))
    .where('job_id', '=', jobId)
    .where(isBad)
    .where('status', '=', sql.lit<'missed'>('missed'));
  const before = await missed
    .where('scheduled_for', '<=', after)
    .orderBy('scheduled_for', 'desc')
    .limit(1)
    .execute();
  const inside = await missed
    .where('scheduled_for', '>', after)
    .where('scheduled_for', '<=', until)
    .orderBy('scheduled_for')
    .execute();
  return [...before, ...inside];
}

/** Due times in a period that other runs of a job stand for, which make up for missed ones or repeat others; the oldest first. */
export async function listStoodFor(
  db: Db,
  jobId: string,
  { after, until }: Period,
): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select((of) => of.ref('due_at').$notNull().as('dueAt'))
    .distinct()
    .where('job_id', '=', jobId)
    .where('due_at', '>', after)
    .where('due_at', '<=', until)
    .where(isOfOwnDueTime)
    .orderBy('due_at')
    .execute();
  return rows.map(({ dueAt }) => dueAt);
}
