/** What figures count. Times are epoch milliseconds. */

import { sql } from 'kysely';
import type { Db } from '../../store/database/store.ts';

/** What is known of a job: runs due by `historyFrom` may be removed (0 if none was), and how many of its runs are not over. */
export async function findStanding(db: Db, jobId: string) {
  return await db
    .selectFrom('jobs')
    .select('history_from as historyFrom')
    .select([
      sql<number>`(select count(*) from runs where job_id = jobs.id and status = 'queued')`.as(
        'queued',
      ),
      sql<number>`(select count(*) from runs where runs.id = active_run_id)`.as('running'),
    ])
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
}

/** Counts the runs of a job from a time on, by the index of due times alone. */
export async function countRunsFrom(db: Db, jobId: string, from: number): Promise<number> {
  const { count } = await db
    .selectFrom('runs')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .where('scheduled_for', '>=', from)
    .executeTakeFirstOrThrow();
  return count;
}
