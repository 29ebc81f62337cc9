/** What figures read: how many runs of a job there are by outcome, and how long the newest took. Times are epoch milliseconds. */

import { sql } from 'kysely';
import type { Db } from '../../store/database/store.ts';
import { isBad, type RunPosition } from '../../store/runs/runs.ts';

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

/** Runs from `from` on, before a position, the newest first. */
export interface Part {
  from: number;
  before: RunPosition;
  limit: number;
}

function newest(db: Db, jobId: string, { from, before, limit }: Part) {
  return db
    .selectFrom('runs')
    .select(['scheduled_for as scheduledFor', 'source'])
    .where('job_id', '=', jobId)
    .where('scheduled_for', '>=', from)
    .where(sql<boolean>`(scheduled_for, source) < (${before.scheduledFor}, ${before.source})`)
    .orderBy('scheduled_for', 'desc')
    .orderBy('source', 'desc')
    .limit(limit);
}

/** Runs that were no success. */
export async function listBadRuns(db: Db, jobId: string, part: Part) {
  return await newest(db, jobId, part)
    .select(['status', 'missed_count as missedCount'])
    .where(isBad)
    .execute();
}

/** How long runs took; null without an answer. */
export async function listDurations(db: Db, jobId: string, part: Part) {
  return await newest(db, jobId, part).select('duration_ms as durationMs').execute();
}
