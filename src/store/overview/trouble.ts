/** What went wrong in a workspace: jobs that missed a due time, and how many runs were no success. */

import { sql } from 'kysely';
import type { Outcomes } from '../../domain/runs/rate.ts';
import { badRunStatuses } from '../../domain/runs/run.ts';
import type { JobNow } from '../../domain/runs/trouble.ts';
import { idList } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { runsOfWorkspace, type RunSpan } from '../runs/of-workspace.ts';

/** Where to begin, from which time on, in epoch milliseconds or null, and after how many rows to stop. */
interface Span extends Omit<RunSpan, 'statuses'> {
  rows: number;
}

/** The jobs with a missed run among the newest `rows` runs that were no success. */
export async function findMissedJobs(
  db: Db,
  workspaceId: string,
  { rows, ...span }: Span,
): Promise<string[]> {
  const found = await db
    .selectFrom(
      runsOfWorkspace(db, workspaceId, { ...span, statuses: badRunStatuses })
        .select(['job_id as jobId', 'status'])
        .limit(rows)
        .as('trouble'),
    )
    .select('jobId')
    .distinct()
    .where('status', '=', 'missed')
    .execute();
  return found.map(({ jobId }) => jobId);
}

/** What these jobs are now. */
export async function findJobsNow(db: Db, ids: readonly string[]): Promise<Map<string, JobNow>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'health', 'paused', 'failing_since as failingSince'])
    .where('id', 'in', idList(ids))
    .execute();
  return new Map(rows.map(({ id, ...row }) => [id, { ...row, paused: row.paused === 1 }]));
}

export type TroubleCounts = Omit<Outcomes, 'success'>;

/** Counts the newest `rows` of them from an instant on, in epoch milliseconds. */
export async function countTrouble(
  db: Db,
  workspaceId: string,
  { since, rows }: Omit<Span, 'before'>,
): Promise<TroubleCounts> {
  const span = { statuses: badRunStatuses, before: null, since };
  const newest = runsOfWorkspace(db, workspaceId, span).select('status').limit(rows);
  const { failed, interrupted, missed } = await db
    .selectFrom(newest.as('trouble'))
    .select([countOf('failed'), countOf('interrupted'), countOf('missed')])
    .executeTakeFirstOrThrow();
  return { failed, interrupted, missed };
}

function countOf<Status extends keyof TroubleCounts>(status: Status) {
  return sql<number>`count(case when status = ${sql.lit(status)} then 1 end)`.as(status);
}
