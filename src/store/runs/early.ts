/** What is kept of histories when they are removed before their time. */

import { sql } from 'kysely';
import { withoutIndex } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import type { SweepPage } from '../database/sweep.ts';

/** From which due time on the runs of a job stay, in epoch milliseconds. */
export interface KeptFrom {
  /** Of the job. */
  id: string;
  keptFrom: number;
}

/** Not by the index of due times, which would read a whole history to find that no run is such. */
const oldest = sql<number | null>`min(${withoutIndex('scheduled_for')})`;

/**
 * A page of jobs with what stays of their runs: the newest `count`, and everything since one that is open, whose receipt is to
 * be signed, or that an alert will name.
 */
export async function listKeptFrom(
  db: Db,
  { afterId, limit }: SweepPage,
  count: number,
): Promise<KeptFrom[]> {
  const jobs = await db
    .selectFrom('jobs')
    .select(['id', 'active_for as active'])
    .select((of) => [
      of
        .selectFrom('runs')
        .select('scheduled_for')
        .whereRef('job_id', '=', 'jobs.id')
        .orderBy('scheduled_for', 'desc')
        .limit(1)
        .offset(count - 1)
        .as('newest'),
      of
        .selectFrom('runs')
        .select(oldest.as('at'))
        .whereRef('job_id', '=', 'jobs.id')
        .where('receipt_due', '=', sql.lit<1>(1))
        .as('unsigned'),
      of
        .selectFrom('runs')
        .select(oldest.as('at'))
        .whereRef('job_id', '=', 'jobs.id')
        .where('status', '=', sql.lit<'queued'>('queued'))
        .as('queued'),
      of
        .selectFrom('outbox')
        .innerJoin('runs', 'runs.id', 'outbox.run_id')
        .select((run) => run.fn.min('scheduled_for').as('at'))
        .whereRef('subject_id', '=', 'jobs.id')
        .as('named'),
    ])
    .where('id', '>', afterId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return jobs.map(({ id, newest, ...needed }) => {
    const { unsigned, queued, active, named } = needed;
    const oldestNeeded = [unsigned, queued, active, named].map((at) => at ?? Infinity);
    return { id, keptFrom: Math.min(newest ?? -Infinity, ...oldestNeeded) };
  });
}
