/** What the timetable reads: runs of a job in a period, and all jobs of a workspace that are due. */

import { sql } from 'kysely';
import { scheduleColumns } from '../../store/database/columns.ts';
import type { Db } from '../../store/database/store.ts';
import { badRunStatuses } from '../../domain/runs/run.ts';
import { isBad, runsWith } from '../../store/runs/runs.ts';
import type { DueTimeFields } from '../../domain/runs/due.ts';
import type { MarkedRun } from './marks.ts';

/** Where runs of a job end. No source is before the empty one. */
type Place = { scheduledFor: number; source: string };

/** The newest runs of a job from `from` (epoch ms) on, newest first. `isOnlyBad`: only those that were no success, by an index. */
export async function listMarkedRuns(
  db: Db,
  jobId: string,
  page: { from: number; before: Place; limit: number; isOnlyBad?: boolean },
): Promise<(MarkedRun & Place)[]> {
  const { isOnlyBad = false } = page;
  const { scheduledFor, source } = page.before;
  return await db
    .selectFrom(runsWith(isOnlyBad ? badRunStatuses : null))
    .select(['id', 'status', 'scheduled_for as scheduledFor', 'duration_ms as durationMs'])
    // SQLite reads runs in the order of the index only if all of what they are ordered by is selected.
    .select(['source', 'last_due_at as lastDueAt', 'missed_count as missedCount'])
    .where('job_id', '=', jobId)
    .where('scheduled_for', '>=', page.from)
    .where(sql<boolean>`(scheduled_for, source) < (${scheduledFor}, ${source})`)
    .$if(isOnlyBad, (query) => query.where(isBad))
    .orderBy('scheduled_for', 'desc')
    .orderBy('source', 'desc')
    .limit(page.limit)
    .execute();
}

/** When a job is due, and whom it calls. */
export interface PlannedCall extends DueTimeFields {
  id: string;
  host: string;
}

/** A page of the jobs of a workspace that have a due time, from the one after `afterId` on. */
export async function listPlannedCalls(
  db: Db,
  workspaceId: string,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<PlannedCall[]> {
  return await db
    .selectFrom('jobs')
    .select(['id', 'host', ...scheduleColumns])
    .select(['active_run_id as activeRunId', 'next_run_at as nextRunAt'])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('next_run_at', 'is not', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}
