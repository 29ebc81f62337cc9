/** Jobs that may delete themselves, as they are due no more (docs/behavior.md#once-4). */

import { sql } from 'kysely';
import type { SpentJob } from '../../domain/jobs/spent.ts';
import { freeRowLock, idList, locksRows } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';

/** Whether something still needs a job: a run that waits, a job that runs after it, a result to be posted, or an alert held back. */
const isNeeded = sql<number>`
  case when active_run_id is not null or next_run_at is not null
    or exists (select 1 from runs where status = 'queued' and job_id = jobs.id)
    or exists (select 1 from jobs as followers
      where followers.after_job_id = jobs.id and followers.deleted_at is null)
    or exists (select 1 from channels join deliveries on deliveries.channel_id = channels.id
      where channels.callback_of = jobs.id and channels.deleted_at is null
        and deliveries.status = 'pending')
    or exists (select 1 from alert_states where subject_id = jobs.id and held is not null)
  then 1 else 0 end`;

function spentJobs(db: Db, now: number, limit: number) {
  return db
    .selectFrom('jobs')
    .where('delete_at', '<=', now)
    .where('deleted_at', 'is', null)
    .orderBy('delete_at')
    .limit(limit);
}

/** The id of a job whose deletion is to be judged at `now`, in epoch milliseconds. */
export async function findSpentJob(db: Db, now: number): Promise<string | undefined> {
  return (await spentJobs(db, now, 1).select('id').executeTakeFirst())?.id;
}

/** A job whose deletion is to be judged. */
export interface FoundSpent extends SpentJob {
  id: string;
  name: string;
}

/**
 * Those jobs, up to `limit`, but for those that others change now. Nobody else changes them until the transaction ends. What needs
 * them is asked once they are held: a statement that waits for a row sees the rest as it was before.
 */
export async function findSpentJobs(tx: Db, now: number, limit: number): Promise<FoundSpent[]> {
  const held = await spentJobs(tx, now, limit)
    .select('id')
    .$if(locksRows(tx), (query) => query.modifyEnd(freeRowLock('jobs')))
    .execute();
  const rows = await tx
    .selectFrom('jobs')
    .select(['id', 'name', 'paused', 'after_job_id', isNeeded.as('isNeeded')])
    .select(['last_run_at as lastRunAt', 'last_duration_ms as lastDurationMs'])
    .select('delete_after_seconds as deleteAfterSeconds')
    .where('id', 'in', idList(held.map(({ id }) => id)))
    .execute();
  return rows.map(({ paused, after_job_id, ...row }) => {
    const isOffSchedule = paused === 1 || after_job_id !== null;
    return { ...row, isOffSchedule, isNeeded: row.isNeeded === 1 };
  });
}

/** Has the deletion of a job judged again at `at`, in epoch milliseconds. */
export async function postponeDeletion(tx: Db, id: string, at: number): Promise<void> {
  await tx.updateTable('jobs').set({ delete_at: at }).where('id', '=', id).execute();
}
