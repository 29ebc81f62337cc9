/** Due times of jobs, for planning them again. */

import { sql } from 'kysely';
import type { ScheduleFields } from '../../domain/schedule/schedule.ts';
import type { Db } from '../database/store.ts';
import { statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';
import type { SweepPage } from '../database/sweep.ts';

const scheduleColumns = [
  'id',
  'schedule_type as scheduleType',
  'cron_expr as cronExpr',
  'timezone',
  'period_seconds as periodSeconds',
  'anchor_at as anchorAt',
] as const;

/** A job with its next due time, in epoch milliseconds. */
export interface PlannedJob extends ScheduleFields {
  id: string;
  nextRunAt: number;
}

/** A page of jobs that become due after an instant, in epoch milliseconds. */
export async function findPlannedJobs(
  db: Db,
  { afterId, limit, dueAfter }: SweepPage & { dueAfter: number },
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

/** A job that is due at `nextRunAt` and should be due at `planned` instead; null if it never is. */
export interface DueTimeChange {
  id: string;
  nextRunAt: number;
  planned: number | null;
}

const updateDueTime = statementForEach((db: Db, of: Parameters<DueTimeChange>) =>
  db
    .updateTable('jobs')
    .set({ next_run_at: of('planned') })
    .where('id', '=', of('id'))
    .where('next_run_at', '=', of('nextRunAt'))
    .compile(),
);

/** Changes due times. A job whose due time has changed meanwhile is left alone. */
export async function updateDueTimes(db: Db, changes: readonly DueTimeChange[]): Promise<void> {
  await updateDueTime(db, changes);
}

/** `isStopped` is 1 if the job has lost its due time: it has none, and is neither paused nor deleted. Else 0. */
export interface StoppableJob extends ScheduleFields {
  id: string;
  isStopped: number;
}

const isStopped = sql<number>`paused = 0 and deleted_at is null and next_run_at is null`;

/** A page of a workspace's jobs in any state. It reads these rows and no others. */
export async function findJobsOfWorkspace(
  db: Db,
  workspaceId: string,
  { afterId, limit }: SweepPage,
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

/** A due time for a job that has none; null if it never is due again. */
interface NewDueTime {
  id: string;
  nextRunAt: number | null;
}

const setDueTime = statementForEach((db: Db, of: Parameters<NewDueTime>) =>
  db
    .updateTable('jobs')
    .set({ next_run_at: of('nextRunAt') })
    .where('id', '=', of('id'))
    .compile(),
);

/** Gives due times to jobs. Only in the transaction that found them without one. */
export async function setDueTimes(tx: Db, jobs: readonly NewDueTime[]): Promise<void> {
  await setDueTime(tx, jobs);
}
