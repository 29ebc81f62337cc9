/** Due times of jobs, for planning them again. */

import { sql } from 'kysely';
import type { ScheduleFields } from '../../domain/schedule/schedule.ts';
import { spanChange, type Planned, type SpanEnd } from '../../domain/schedule/span.ts';
import { scheduleColumns } from '../database/columns.ts';
import { isStill, locksRows, rowLock } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { statementForEach, type Parameters } from '../database/statement.ts';
import { keepSpans } from './schedule-spans.ts';
import type { SweepPage } from '../database/sweep.ts';

/** A job with its next due time, in epoch milliseconds; null if it has none. */
export interface PlannedJob extends ScheduleFields {
  id: string;
  nextRunAt: number | null;
}

/** 1 if a job has lost its due time: it has none, has its own schedule, and is neither paused nor deleted. Else 0. */
const isStopped = sql<number>`paused = 0 and after_job_id is null
  and deleted_at is null and next_run_at is null`;

/** 1 if a job has no due times any more, as its schedule has an end, and not as its account has expired. Else 0. */
const isOver = sql<number>`${isStopped} and adjustments is not null and exists (
  select 1 from workspaces join accounts on accounts.id = workspaces.account_id
  where workspaces.id = jobs.workspace_id and accounts.schedules <> 'off')`;

/** A page of jobs that become due after an instant, in epoch milliseconds, or have no due time: then `isOver` may be 1. */
export async function findPlannedJobs(
  db: Db,
  { afterId, limit, dueAfter }: SweepPage & { dueAfter: number },
): Promise<(PlannedJob & { isOver: number })[]> {
  return await db
    .selectFrom('jobs')
    .select(['id', ...scheduleColumns])
    .select(['next_run_at as nextRunAt', isOver.as('isOver')])
    .where('id', '>', afterId)
    .where('deleted_at', 'is', null)
    .where((of) => of.or([of('next_run_at', '>', dueAfter), of('next_run_at', 'is', null)]))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** A job with a due time that has passed. */
export type OverdueJob = PlannedJob & { nextRunAt: number; workspaceId: string };

/** A page of jobs that were due by an instant, in epoch milliseconds. */
export async function findOverdueJobs(
  db: Db,
  { afterId, limit }: SweepPage,
  by: number,
): Promise<OverdueJob[]> {
  return await db
    .selectFrom('jobs')
    .select(['id', 'workspace_id as workspaceId', ...scheduleColumns])
    .select((of) => of.ref('next_run_at').$notNull().as('nextRunAt'))
    .where('id', '>', afterId)
    .where('next_run_at', '<=', by)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** A job that is due at `nextRunAt` and should be due at `planned` instead; each is null if it never is. */
export interface DueTimeChange extends PlannedJob {
  planned: number | null;
}

type DueTimeUpdate = Pick<DueTimeChange, 'id' | 'nextRunAt' | 'planned'>;

/** Moves jobs from one due time to another. Returns for each whether it had the first. */
export const moveDueTimes = statementForEach((db: Db, of: Parameters<DueTimeUpdate>) =>
  db
    .updateTable('jobs')
    .set({ next_run_at: of('planned') })
    .where('id', '=', of('id'))
    .where(isStill('next_run_at', of('nextRunAt')))
    // Paused or deleted meanwhile, it gets none.
    .where('paused', '=', 0)
    .where('after_job_id', 'is', null)
    .where('deleted_at', 'is', null)
    .compile(),
);

/** Changes due times at a moment, for a reason. A job whose due time has changed meanwhile is left alone. */
export async function updateDueTimes(
  tx: Db,
  changes: readonly DueTimeChange[],
  when: { at: number; reason: SpanEnd },
): Promise<void> {
  const updates = changes.map(({ id, nextRunAt, planned }) => ({ id, nextRunAt, planned }));
  const isChanged = await moveDueTimes(tx, updates);
  const changed = changes.filter((_, index) => isChanged[index]);
  const spans = changed.map((before) => {
    return spanChange(before, { ...before, nextRunAt: before.planned }, when);
  });
  await keepSpans(tx, spans);
}

/** A job, and whether it has lost its due time (`isStopped`). */
export interface StoppableJob extends ScheduleFields {
  id: string;
  isStopped: number;
}

/** A page of a workspace's jobs in any state. It reads no other rows. In a transaction nobody else changes them. */
export async function findJobsOfWorkspace(
  db: Db,
  workspaceId: string,
  { afterId, limit }: SweepPage,
): Promise<StoppableJob[]> {
  return await db
    .selectFrom('jobs')
    .select(['id', ...scheduleColumns])
    .select(isStopped.as('isStopped'))
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .$if(locksRows(db), (query) => query.modifyEnd(rowLock('jobs')))
    .execute();
}

type NewDueTime = Pick<Planned, 'id' | 'nextRunAt'>;

const setDueTime = statementForEach((db: Db, of: Parameters<NewDueTime>) =>
  db
    .updateTable('jobs')
    .set({ next_run_at: of('nextRunAt') })
    .where('id', '=', of('id'))
    .compile(),
);

/** Gives due times to jobs, which count from `now`. Only in the transaction that found them without one. */
export async function setDueTimes(tx: Db, jobs: readonly Planned[], now: number): Promise<void> {
  const dueTimes = jobs.map(({ id, nextRunAt }) => ({ id, nextRunAt }));
  await setDueTime(tx, dueTimes);
  await keepSpans(
    tx,
    // One that was over by a clock that was ahead has a span that did not end.
    jobs.map((job) => spanChange({ ...job, nextRunAt: null }, job, { at: now, reason: 'changed' })),
  );
}
