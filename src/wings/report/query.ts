/** What a report reads: runs of a job in a period, which of them have receipts, and the pings of a monitor. */

import { sql } from 'kysely';
import type { Db } from '../../store/database/store.ts';
import type { RunPosition } from '../../store/runs/runs.ts';
import type { CountedRun } from './figures.ts';

/** Runs due from `from` on (epoch milliseconds), before a position, the newest first. */
interface RunPage {
  from: number;
  before: RunPosition;
  limit: number;
}

function runsOf(db: Db, jobId: string, { from, before, limit }: RunPage) {
  return db
    .selectFrom('runs')
    .leftJoin('receipts', 'receipts.run_id', 'runs.id')
    .select(['scheduled_for as scheduledFor', 'source'])
    .where('job_id', '=', jobId)
    .where('scheduled_for', '>=', from)
    .where(sql<boolean>`(scheduled_for, source) < (${before.scheduledFor}, ${before.source})`)
    .orderBy('scheduled_for', 'desc')
    .orderBy('source', 'desc')
    .limit(limit);
}

/** Runs of a job that have a row, to be counted. */
export async function listCountedRuns(db: Db, jobId: string, page: RunPage): Promise<CountedRun[]> {
  return await runsOf(db, jobId, page)
    .select('status')
    .select(sql<number>`case when run_id is null then 0 else 1 end`.as('receipts'))
    .execute();
}

/** The receipts of runs of a job as text in canonical form; null for a run without one. */
export async function listReceiptTexts(
  db: Db,
  jobId: string,
  page: RunPage,
): Promise<(RunPosition & { text: string | null })[]> {
  return await runsOf(db, jobId, page).select('receipt as text').execute();
}

/** Pings of a monitor in a period of epoch milliseconds, and the oldest one that is kept; null if none is. A thousand are kept. */
export async function countPings(
  db: Db,
  monitorId: string,
  { from, until }: { from: number; until: number },
): Promise<{ success: number; failed: number; oldest: number | null; oldestAt: number | null }> {
  const within = sql`received_at >= ${from} and received_at < ${until}`;
  const count = (kind: 'success' | 'fail') =>
    sql<number>`count(case when kind = ${sql.lit(kind)} and ${within} then 1 end)`;
  return await db
    .selectFrom('pings')
    .select([count('success').as('success'), count('fail').as('failed')])
    .select((of) => [
      of.fn.min<number | null>('number').as('oldest'),
      of.fn.min<number | null>('received_at').as('oldestAt'),
    ])
    .where('monitor_id', '=', monitorId)
    .executeTakeFirstOrThrow();
}
