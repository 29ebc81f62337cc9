/** Jobs by their keys in definitions. */

import { jobOf } from './jobs.ts';
import type { SealedJob } from '../../domain/secrets/sealed-job.ts';
import type { Db } from '../database/open.ts';

/** A job that a definition manages. */
export interface ManagedRow {
  key: string;
  job: SealedJob;
}

/** The job of this key in this workspace, or undefined. */
export async function findManagedJob(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<SealedJob | undefined> {
  const row = await managed(db, workspaceId).where('job_key', '=', key).executeTakeFirst();
  return row && jobOf(row);
}

/** The key of a job; null if it has none. */
export async function jobKeyOf(db: Db, jobId: string): Promise<string | null> {
  const row = await db
    .selectFrom('jobs')
    .select('job_key')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row?.job_key ?? null;
}

/** Gives a job its key. Another job of the workspace must not have it. */
export async function setJobKey(db: Db, jobId: string, key: string): Promise<void> {
  await db.updateTable('jobs').set({ job_key: key }).where('id', '=', jobId).execute();
}

/** A page of a workspace's managed jobs, newest first; `before` is the last id of the previous page. */
export async function listManagedJobs(
  db: Db,
  workspaceId: string,
  page: { limit: number; before: string | null },
): Promise<ManagedRow[]> {
  let query = managed(db, workspaceId)
    .where('job_key', 'is not', null)
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.before !== null) query = query.where('id', '<', page.before);
  return (await query.execute()).map((row) => ({ key: row.job_key ?? '', job: jobOf(row) }));
}

function managed(db: Db, workspaceId: string) {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null);
}
