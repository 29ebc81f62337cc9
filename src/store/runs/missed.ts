/** Missed runs, and runs of due times that have not come yet: the clock was ahead when they were recorded. */

import { sql } from 'kysely';
import type { Missed } from '../../domain/runs/reason.ts';
import { nextDue } from '../../domain/schedule/next.ts';
import { scheduleOf, type ScheduleFields } from '../../domain/schedule/schedule.ts';
import { scheduleColumns } from '../database/columns.ts';
import { idList, larger, numberOf, rowsOf, smaller, textOf } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { statementForEach, type Parameters } from '../database/statement.ts';
import { insertScheduledRuns, type MissedRun as NewMissedRun } from './claims.ts';
import { isBad, isOfOwnDueTime } from './runs.ts';

/** A missed run, and the schedule that its due times are of. Times are epoch milliseconds. */
export interface MissedRun extends ScheduleFields {
  id: string;
  jobId: string;
  scheduledFor: number;
}

/**
 * The missed runs of these jobs that stand for due times after `now`, each with the schedule that was in force when its first one was
 * decided on. After a clock was set back, several began before that due time.
 */
export async function findMissedAhead(
  tx: Db,
  jobIds: readonly string[],
  now: number,
): Promise<MissedRun[]> {
  const found = await tx
    .selectFrom('runs')
    .innerJoin('schedule_spans as span', 'span.job_id', 'runs.job_id')
    .select(['id', 'runs.job_id as jobId', 'scheduled_for as scheduledFor', ...scheduleColumns])
    .select('span.from_at as fromAt')
    .where('runs.job_id', 'in', idList(jobIds))
    .where(isBad)
    .where('last_due_at', '>', now)
    .whereRef('span.from_at', '<', 'scheduled_for')
    .where((of) =>
      of.or([of('next_due_at', 'is', null), of('next_due_at', '>', of.ref('scheduled_for'))]),
    )
    .where((of) =>
      of.or([of('held_until', 'is', null), of('held_until', '<', of.ref('scheduled_for'))]),
    )
    .execute();
  const newestFirst = found.toSorted((a, b) => b.fromAt - a.fromAt);
  return [...Map.groupBy(newestFirst, ({ id }) => id).values()].flatMap(
    // If it is of none, the rules of its time zone have changed.
    (spans) => spans.find(isOfSchedule) ?? spans.slice(0, 1),
  );
}

function isOfSchedule(run: MissedRun): boolean {
  return nextDue(scheduleOf(run), run.scheduledFor - 1) === run.scheduledFor;
}

/**
 * The first due time from `first` to `last` that has a run, by job; none for a job without one. A clock that was ahead may have missed
 * it, and a run may have made up for it.
 */
export async function findFirstRuns(
  tx: Db,
  spans: readonly { jobId: string; first: number; last: number }[],
): Promise<Map<string, number>> {
  const isBetween = sql`between ${numberOf('first')} and ${numberOf('last')}`;
  const { rows } = await sql<{ jobId: string; calledAt: number | null; madeUpAt: number | null }>`
    select ${textOf('jobId')} as "jobId", (
      select min(scheduled_for) from runs where job_id = ${textOf('jobId')}
        and source = 'scheduled' and scheduled_for ${isBetween}
    ) as "calledAt", (
      select min(due_at) from runs where job_id = ${textOf('jobId')}
        and ${isOfOwnDueTime} and due_at ${isBetween}
    ) as "madeUpAt" from ${rowsOf(spans)}`.execute(tx);
  const first = rows.map(({ jobId, calledAt, madeUpAt }) => {
    return [jobId, Math.min(calledAt ?? Infinity, madeUpAt ?? Infinity)] as const;
  });
  return new Map(first.filter(([, at]) => at < Infinity));
}

/** Says of missed runs what they stand for. */
export const restateMissed = statementForEach(
  (db: Db, of: Parameters<{ id: string } & Pick<Missed, 'last' | 'count'>>) =>
    db
      .updateTable('runs')
      .set({ last_due_at: of('last'), missed_count: of('count') })
      .where('id', '=', of('id'))
      .compile(),
);

/** What kept these jobs from being called ended by `now`, also if a clock that was ahead has noticed it. */
export async function cutHindrances(tx: Db, jobIds: readonly string[], now: number): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ hindered_from: smaller(sql.ref('hindered_from'), sql`${now}`), hindered_until: now })
    .where('job_id', 'in', idList(jobIds))
    .where(isBad)
    .where('hindered_until', '>', now)
    .execute();
}

/** Removes runs of which nothing was missed, from their jobs, which the transaction holds. */
export async function removeMissed(tx: Db, ids: readonly string[]): Promise<void> {
  const removed = tx.deleteFrom('runs').where('id', 'in', idList(ids)).returning('job_id as jobId');
  const byJob = Map.groupBy(await removed.execute(), ({ jobId }) => jobId);
  const counts = Array.from(byJob, ([jobId, { length: count }]) => ({ jobId, count }));
  await sql`update jobs set total_missed = total_missed - ${numberOf('count')}
    from ${rowsOf(counts)}
    where jobs.id = ${textOf('jobId')}`.execute(tx);
}

/** Keeps a missed run of a job that is due next at `nextRunAt`. A due time that has a run already gets no second one. */
export async function keepMissedRun(
  tx: Db,
  run: NewMissedRun,
  nextRunAt: number | null,
): Promise<void> {
  const kept = await insertScheduledRuns(tx, [run]);
  await tx
    .updateTable('jobs')
    .set((job) => ({
      next_run_at: nextRunAt,
      claimed_up_to: larger(sql`coalesce(claimed_up_to, 0)`, sql`${run.missed.last}`),
      total_missed: job('total_missed', '+', kept.size),
    }))
    .where('id', '=', run.jobId)
    .execute();
}
