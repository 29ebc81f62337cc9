/** When jobs are due next, as it was planned, and as it is planned anew. */

import { sql } from 'kysely';
import type { ScheduleFields } from '../../domain/jobs/job.ts';
import { numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';

const scheduleColumns = [
  'id',
  'schedule_type as scheduleType',
  'cron_expr as cronExpr',
  'timezone',
  'period_seconds as periodSeconds',
  'anchor_at as anchorAt',
] as const;

/** A job with the due time it waits for, in epoch milliseconds. */
export interface PlannedJob extends ScheduleFields {
  id: string;
  nextRunAt: number;
}

/** Jobs that are to become due after an instant (epoch milliseconds), in the order of their ids. */
export async function findPlannedJobs(
  db: Db,
  { afterId, dueAfter, limit }: { afterId: string; dueAfter: number; limit: number },
): Promise<PlannedJob[]> {
  return await db
    .selectFrom('jobs')
    .select(scheduleColumns)
    .select((of) => of.ref('next_run_at').$notNull().as('nextRunAt'))
    .where('id', '>', afterId)
    .where('next_run_at', '>', dueAfter)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Another due time for a job that waited for `nextRunAt`; null if there is none. */
export interface DueTimeChange {
  id: string;
  nextRunAt: number;
  planned: number | null;
}

/** Changes due times. A job that does not wait for the same one any more is left alone. */
export async function updateDueTimes(db: Db, changes: readonly DueTimeChange[]): Promise<void> {
  const elements = changes.map(({ id, nextRunAt, planned }) => ({ id, nextRunAt, planned }));
  await sql`
    update jobs set next_run_at = ${numberOf('planned', 'changed.value')}
    from ${rowsOf(elements)} as changed
    where jobs.id = ${textOf('id', 'changed.value')}
      and jobs.next_run_at = ${numberOf('nextRunAt', 'changed.value')}`.execute(db);
}

/** The next workspace of an account in the order of their ids, or undefined. */
export async function findWorkspaceAfter(
  db: Db,
  accountId: string,
  afterId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** A job that may have lost its due time; `isStopped` is 1 if it has none and is not paused, else 0. */
export interface StoppableJob extends ScheduleFields {
  id: string;
  isStopped: number;
}

const isStopped = sql<number>`paused = 0 and deleted_at is null and next_run_at is null`;

/** Jobs of a workspace, whatever their state, in the order of their ids: a page costs its own rows and no others. */
export async function findJobsAfter(
  db: Db,
  workspaceId: string,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<StoppableJob[]> {
  return await db
    .selectFrom('jobs')
    .select(scheduleColumns)
    .select(isStopped.as('isStopped'))
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Gives due times to jobs that were found without one in the same transaction. */
export async function setDueTimes(
  tx: Db,
  jobs: readonly { id: string; nextRunAt: number | null }[],
): Promise<void> {
  const elements = jobs.map(({ id, nextRunAt }) => ({ id, nextRunAt }));
  await sql`
    update jobs set next_run_at = ${numberOf('nextRunAt', 'planned.value')}
    from ${rowsOf(elements)} as planned
    where jobs.id = ${textOf('id', 'planned.value')}`.execute(tx);
}
