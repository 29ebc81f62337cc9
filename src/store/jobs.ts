/** Jobs, as people keep them. What the engine asks of them is in `claims.ts`. */

import type { Selectable } from 'kysely';
import { hostOf } from '../domain/job.ts';
import type { Job } from '../domain/job.ts';
import type { Db } from './open.ts';
import type { JobRow } from './schema.ts';

/** Keeps a new job. */
export async function insertJob(db: Db, job: Job): Promise<void> {
  await db
    .insertInto('jobs')
    .values({ ...rowOf(job), ...noTotals })
    .execute();
}

/** The job with this id in this workspace, or undefined. */
export async function findJob(db: Db, workspaceId: string, id: string): Promise<Job | undefined> {
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row && jobOf(row);
}

/** A page of a workspace's jobs, newest first; `before` is the last id of the page before. */
export async function listJobs(
  db: Db,
  workspaceId: string,
  page: { limit: number; before: string | null },
): Promise<Job[]> {
  let query = db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit);
  if (page.before !== null) query = query.where('id', '<', page.before);
  return (await query.execute()).map(jobOf);
}

const noTotals = { total_success: 0, total_failed: 0, total_interrupted: 0, total_missed: 0 };

function rowOf(job: Job): Omit<JobRow, keyof typeof noTotals> {
  return {
    id: job.id,
    workspace_id: job.workspaceId,
    name: job.name,
    url: job.url,
    host: hostOf(job.url),
    method: job.method,
    headers: JSON.stringify(job.headers),
    body: job.body,
    schedule_type: job.scheduleType,
    cron_expr: job.cronExpr,
    timezone: job.timezone,
    period_seconds: job.periodSeconds,
    anchor_at: job.anchorAt,
    timeout_seconds: job.timeoutSeconds,
    retries: job.retries,
    notes: job.notes,
    paused: job.paused ? 1 : 0,
    health: job.health,
    active_run_id: job.activeRunId,
    next_run_at: job.nextRunAt,
    last_run_at: job.lastRunAt,
    last_duration_ms: job.lastDurationMs,
    down_reason: job.downReason,
    created_at: job.createdAt,
  };
}

/** The job that a row holds. */
export function jobOf(row: Selectable<JobRow>): Job {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    url: row.url,
    method: row.method,
    headers: JSON.parse(row.headers) as Record<string, string>,
    body: row.body,
    scheduleType: row.schedule_type,
    cronExpr: row.cron_expr,
    timezone: row.timezone,
    periodSeconds: row.period_seconds,
    anchorAt: row.anchor_at,
    timeoutSeconds: row.timeout_seconds,
    retries: row.retries,
    notes: row.notes,
    paused: row.paused === 1,
    health: row.health,
    activeRunId: row.active_run_id,
    nextRunAt: row.next_run_at,
    lastRunAt: row.last_run_at,
    lastDurationMs: row.last_duration_ms,
    downReason: row.down_reason,
    createdAt: row.created_at,
  };
}
