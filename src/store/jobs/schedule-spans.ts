/** Spans: when which schedule of a job was in force. Whoever changes when a job is due, records it in the same transaction. */

import { sql } from 'kysely';
import { nextDue, type DueTimes } from '../../domain/schedule/next.ts';
import { scheduleOf, type ScheduleFields } from '../../domain/schedule/schedule.ts';
import { saysNothing, shortestSpanMs } from '../../domain/schedule/span.ts';
import type { ScheduleSpan, SpanChange, SpanEnd } from '../../domain/schedule/span.ts';
import { idList } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { statementForEach, type Parameters } from '../database/statement.ts';
import { spanColumns } from './listed-spans.ts';

interface Ended {
  jobId: string;
  at: number;
  nextDueAt: number | null;
  reason: SpanEnd;
}

const endSpan = statementForEach((db: Db, of: Parameters<Ended>) =>
  db
    .updateTable('schedule_spans')
    .set({ until_at: of('at'), next_due_at: of('nextDueAt'), end_reason: of('reason') })
    .where('job_id', '=', of('jobId'))
    .where('until_at', 'is', null)
    .compile(),
);

type Begun = Omit<ScheduleSpan, 'untilAt' | 'nextDueAt' | 'endReason' | 'heldUntil'> & {
  jobId: string;
};

const beginSpan = statementForEach((db: Db, of: Parameters<Begun>) =>
  db
    .insertInto('schedule_spans')
    .values({
      job_id: of('jobId'),
      // An account's renewal begins a second one in its millisecond if the clock was set back before it: that gets the next one.
      from_at: sql<number>`(select coalesce(max(from_at) + 1, ${of('fromAt')}) from schedule_spans
        where job_id = ${of('jobId')} and until_at <> from_at
          and from_at between ${of('fromAt')} and ${of('fromAt')} + 9)`,
      schedule_type: of('scheduleType'),
      cron_expr: of('cronExpr'),
      timezone: of('timezone'),
      period_seconds: of('periodSeconds'),
      anchor_at: of('anchorAt'),
      adjustments: of('adjustments'),
    })
    // One that began in the same millisecond, and so had no due time.
    .onConflict((same) =>
      same.columns(['job_id', 'from_at']).doUpdateSet((row) => ({
        until_at: null,
        next_due_at: null,
        end_reason: null,
        held_until: null,
        schedule_type: row.ref('excluded.schedule_type'),
        cron_expr: row.ref('excluded.cron_expr'),
        timezone: row.ref('excluded.timezone'),
        period_seconds: row.ref('excluded.period_seconds'),
        anchor_at: row.ref('excluded.anchor_at'),
        adjustments: row.ref('excluded.adjustments'),
      })),
    )
    .compile(),
);

/** Ends and begins spans. Only in the transaction that changes when the jobs are due. */
export async function keepSpans(tx: Db, changes: readonly (SpanChange | null)[]): Promise<void> {
  const kept = changes.filter((change) => change !== null);
  const replaced = kept.filter(({ ended, begun }) => ended !== null && begun !== null);
  await joinShort(tx, replaced);
  const ends = kept.flatMap(({ jobId, at, ended }) => (ended ? [{ jobId, at, ...ended }] : []));
  await endSpan(tx, ends);
  const begins = kept.flatMap(({ jobId, at, begun }) => {
    if (begun === null) return [];
    const { scheduleType, cronExpr, timezone, periodSeconds, anchorAt, adjustments } = begun;
    const rule = { scheduleType, cronExpr, timezone, periodSeconds };
    return [{ jobId, fromAt: at, ...rule, anchorAt, adjustments }];
  });
  await beginSpan(tx, begins);
}

interface Place {
  jobId: string;
  fromAt: number;
}

const dropSpan = statementForEach((db: Db, of: Parameters<Place>) =>
  db
    .deleteFrom('schedule_spans')
    .where('job_id', '=', of('jobId'))
    .where('from_at', '=', of('fromAt'))
    .compile(),
);

const extendSpan = statementForEach((db: Db, of: Parameters<Place & { at: number }>) =>
  db
    .updateTable('schedule_spans')
    .set({ until_at: of('at') })
    .where('job_id', '=', of('jobId'))
    .where('from_at', '=', of('fromAt'))
    .compile(),
);

/** Before schedules begin: where the newest span and the one before it say nothing of any due time, that one is kept for both. */
async function joinShort(tx: Db, changes: readonly SpanChange[]): Promise<void> {
  if (changes.length === 0) return;
  const since = Math.min(...changes.map(({ at }) => at)) - shortestSpanMs;
  const ids = changes.map(({ jobId }) => jobId);
  const recent = await tx
    .selectFrom('schedule_spans')
    .select(spanColumns)
    .select('job_id as jobId')
    .where('job_id', 'in', idList(ids))
    .where('from_at', '>', since)
    .orderBy('from_at')
    .execute();
  const spansOf = Map.groupBy(recent, ({ jobId }) => jobId);
  const joined = changes.flatMap((change) => {
    const [one, other] = spansOf.get(change.jobId)?.slice(-2) ?? [];
    const isShort = other && [one!, other].every((span) => saysNothing(span, change));
    return isShort ? [{ one: one!, other, at: change.at }] : [];
  });
  const dropped = joined.map(({ other: { jobId, fromAt } }) => ({ jobId, fromAt }));
  await dropSpan(tx, dropped);
  const extended = joined.map(({ one: { jobId, fromAt }, at }) => ({ jobId, fromAt, at }));
  await extendSpan(tx, extended);
}

const holdSpan = statementForEach((db: Db, of: Parameters<{ jobId: string; heldUntil: number }>) =>
  db
    .updateTable('schedule_spans')
    .set({ held_until: of('heldUntil') })
    .where('job_id', '=', of('jobId'))
    .where('until_at', 'is', null)
    .compile(),
);

/** Due times of a job that are held. */
export interface HeldTimes {
  job: ScheduleFields & { id: string };
  held: DueTimes;
}

/**
 * Keeps that due times are held: those at the beginning of a span are. A span goes on while nothing was called or missed since; else
 * another one begins. Only in the transaction that moves the jobs to their next due times.
 */
export async function keepHeld(tx: Db, all: readonly HeldTimes[]): Promise<void> {
  if (all.length === 0) return;
  const open = await tx
    .selectFrom('schedule_spans')
    .select(['job_id as jobId', 'held_until as heldUntil'])
    .where('job_id', 'in', idList(all.map(({ job }) => job.id)))
    .where('until_at', 'is', null)
    .where('held_until', 'is not', null)
    .execute();
  const lastHeld = new Map(open.map(({ jobId, heldUntil }) => [jobId, heldUntil ?? Infinity]));
  const goesOn = ({ job, held }: HeldTimes): boolean =>
    nextDue(scheduleOf(job), lastHeld.get(job.id) ?? Infinity) === held.first;
  const begun = all.filter((one) => !goesOn(one));
  const changes = begun.map(({ job, held: { first } }) => {
    const ended = { reason: 'held', nextDueAt: first } as const;
    return { jobId: job.id, at: first - 1, ended, begun: job };
  });
  await keepSpans(tx, changes);
  const ends = all.map(({ job, held }) => ({ jobId: job.id, heldUntil: held.last }));
  await holdSpan(tx, ends);
}

const cutSpan = statementForEach((db: Db, of: Parameters<{ jobId: string; at: number }>) =>
  db
    .updateTable('schedule_spans')
    .set({ until_at: of('at') })
    .where('job_id', '=', of('jobId'))
    .where('until_at', '>', of('at'))
    .compile(),
);

/** Schedules of these jobs that ended by a clock that was ahead ended at a moment, by the clock that is right. */
export async function cutSpans(tx: Db, jobIds: Iterable<string>, at: number): Promise<void> {
  const cuts = Array.from(jobIds, (jobId) => ({ jobId, at }));
  await cutSpan(tx, cuts);
}
