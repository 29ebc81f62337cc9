/** Missed runs, and runs of due times that have not come yet: the clock was ahead when they were recorded. */

import { sql } from 'kysely';
import { idList, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';
import { isBad } from './runs.ts';

/** A missed run, and the last due time that it stands for. Times are epoch milliseconds. */
export interface MissedRun {
  id: string;
  jobId: string;
  scheduledFor: number;
  error: string | null;
}

/** The missed runs of these jobs that stand for due times after `now`. */
export async function findMissedAhead(
  tx: Db,
  jobIds: readonly string[],
  now: number,
): Promise<MissedRun[]> {
  return await tx
    .selectFrom('runs')
    .select(['id', 'job_id as jobId', 'scheduled_for as scheduledFor', 'error'])
    .where('job_id', 'in', idList(jobIds))
    .where(isBad)
    .where('last_due_at', '>', now)
    .execute();
}

/** The first due time from `first` to `last` that has a run, by job; none for a job without one. */
export async function findFirstRuns(
  tx: Db,
  spans: readonly { jobId: string; first: number; last: number }[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ jobId: string; at: number | null }>`
    select ${textOf('jobId')} as "jobId", (
      select min(scheduled_for) from runs where job_id = ${textOf('jobId')} and source = 'scheduled'
        and scheduled_for between ${numberOf('first')} and ${numberOf('last')}
    ) as at from ${rowsOf(spans)}`.execute(tx);
  return new Map(rows.flatMap(({ jobId, at }) => (at === null ? [] : [[jobId, at]])));
}

const restate = statementForEach(
  (db: Db, of: Parameters<{ id: string; lastDueAt: number; error: string }>) =>
    db
      .updateTable('runs')
      .set({ last_due_at: of('lastDueAt'), error: of('error') })
      .where('id', '=', of('id'))
      .compile(),
);

/** Says of missed runs what they stand for. */
export async function restateMissed(
  tx: Db,
  runs: readonly { id: string; lastDueAt: number; error: string }[],
): Promise<void> {
  await restate(tx, runs);
}
