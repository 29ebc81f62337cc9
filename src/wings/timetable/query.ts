/** What the timetable reads: runs of a job in a period, and all jobs of a workspace that are due. */

import { scheduleColumns } from '../../store/database/columns.ts';
import type { Db } from '../../store/database/store.ts';
import { badRunStatuses } from '../../domain/runs/run.ts';
import { isBad, runsWith } from '../../store/runs/runs.ts';
import type { DueTimeFields } from '../../domain/runs/due.ts';
import type { MarkedRun } from './marks.ts';

/** In epoch milliseconds; `until` is not part of it. */
interface Period {
  from: number;
  until: number;
  limit: number;
}

/** The newest runs of a job in a period, newest first. `isBad`: only those that were no success, from an index of their own. */
export async function listMarkedRuns(
  db: Db,
  jobId: string,
  { from, until, limit, isOnlyBad = false }: Period & { isOnlyBad?: boolean },
): Promise<MarkedRun[]> {
  return await db
    .selectFrom(runsWith(isOnlyBad ? badRunStatuses : null))
    .select(['id', 'status', 'scheduled_for as scheduledFor', 'duration_ms as durationMs'])
    // SQLite reads runs in the order of the index only if all of what they are ordered by is selected.
    .select(['source', 'last_due_at as lastDueAt', 'missed_count as missedCount'])
    .where('job_id', '=', jobId)
    .where('scheduled_for', '>=', from)
    .where('scheduled_for', '<', until)
    .$if(isOnlyBad, (query) => query.where(isBad))
    .orderBy('scheduled_for', 'desc')
    .orderBy('source', 'desc')
    .limit(limit)
    .execute();
}

/** When a job is due, and whom it calls. */
export interface PlannedCall extends DueTimeFields {
  id: string;
  host: string;
}

/** A page of the jobs of a workspace that are not deleted, from the one after `afterId` on. */
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
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}
