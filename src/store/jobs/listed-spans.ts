/** Spans, read: which schedules say something of the due times of a period. */

import { sql } from 'kysely';
import type { ScheduleSpan } from '../../domain/schedule/span.ts';
import { scheduleColumns } from '../database/columns.ts';
import { idList } from '../database/dialect.ts';
import type { ScheduleSpanRow } from '../database/schema.ts';
import type { Db } from '../database/store.ts';

/** For `select`: the fields of a span. */
export const spanColumns = [
  'from_at as fromAt',
  'until_at as untilAt',
  'next_due_at as nextDueAt',
  'end_reason as endReason',
  'held_until as heldUntil',
  ...scheduleColumns,
] as const satisfies readonly `${keyof ScheduleSpanRow}${string}`[];

/**
 * From when on due times of these jobs count, by job: since their newest schedules began, by `now`, and after what retention removed.
 * What is later than `now` was recorded by a clock that was ahead.
 */
export async function findBeginnings(
  tx: Db,
  jobIds: readonly string[],
  now: number,
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('schedule_spans')
    .innerJoin('jobs', 'jobs.id', 'job_id')
    .select(({ fn }) => ['job_id', 'history_from', fn.max<number>('from_at').as('began_at')])
    .where('job_id', 'in', idList(jobIds))
    .where('from_at', '<=', now)
    .groupBy(['job_id', 'history_from'])
    .execute();
  return new Map(
    rows.map(({ job_id: jobId, history_from: from, began_at: beganAt }) => [
      jobId,
      Math.max(beganAt, from <= now ? from : 0),
    ]),
  );
}

interface SpanPage {
  after: number;
  until: number;
  limit: number;
}

/** As the index `schedule_spans_by_end` has it. One may have ended by a clock that was set right, with what it decided ahead. */
const saysUpTo = sql<number>`case when until_at is null then 9007199254740991
  when next_due_at > until_at then next_due_at else until_at end`;

/** Spans of some jobs, by job, the oldest first, that say something of the due times of a period (epoch milliseconds): `limit` at most. */
export async function listSpans(
  db: Db,
  jobIds: readonly string[],
  { after, until, limit }: SpanPage,
): Promise<Map<string, ScheduleSpan[]>> {
  const spans = await db
    .selectFrom('schedule_spans')
    .select(spanColumns)
    .select('job_id as jobId')
    .where('job_id', 'in', idList(jobIds))
    .where(saysUpTo, '>', after)
    // Not by the primary key: that would read all spans from the first one on.
    .where(sql`from_at + 0`, '<=', until)
    .limit(limit)
    .execute();
  // Not in the statement: they come in the order of their ends, which is nearly this one.
  spans.sort((one, other) => one.fromAt - other.fromAt);
  return Map.groupBy(spans, ({ jobId }) => jobId);
}

/** The span that is in force after an instant, or was the last before, and up to `limit` that began later, up to another one: the oldest first. */
export async function listSpansFrom(
  db: Db,
  jobId: string,
  { after, until, limit }: SpanPage,
): Promise<ScheduleSpan[]> {
  const { last } = await findSpansAround(db, jobId, after);
  const later = await db
    .selectFrom('schedule_spans')
    .select(spanColumns)
    .where('job_id', '=', jobId)
    .where('from_at', '>', after)
    .where('from_at', '<=', until)
    .orderBy('from_at')
    .limit(limit)
    .execute();
  return last === null ? later : [last, ...later];
}

/** The schedules around an instant: the last one that began up to then, and the first one that began later. */
export async function findSpansAround(
  db: Db,
  jobId: string,
  at: number,
): Promise<{ last: ScheduleSpan | null; next: ScheduleSpan | null }> {
  const ofJob = db
    .selectFrom('schedule_spans')
    .select(spanColumns)
    .where('job_id', '=', jobId)
    .where((of) => of.or([of('until_at', 'is', null), of('until_at', '>=', of.ref('from_at'))]));
  const upTo = ofJob.where('from_at', '<=', at).orderBy('from_at', 'desc').limit(1);
  const later = ofJob.where('from_at', '>', at).orderBy('from_at').limit(1);
  const [last, next] = [await upTo.executeTakeFirst(), await later.executeTakeFirst()];
  return { last: last ?? null, next: next ?? null };
}
