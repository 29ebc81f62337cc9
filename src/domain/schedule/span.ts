/**
 * Spans: when which schedule of a job was in force. They are recorded whenever a schedule begins or ends, so that the due
 * times of the past can be computed again (`wings/ledger/accounted.ts`).
 */

import { nextDue } from './next.ts';
import { sameDueTimes, scheduleOf, type ScheduleFields } from './schedule.ts';

export const spanEnds = ['paused', 'changed', 'expired', 'corrected', 'restored', 'held'] as const;

/**
 * Why a schedule was no longer in force. `expired`: its account was not paid for; `corrected`: it was planned again after a
 * change of the clock or of the rules of its time zone; `restored`: another database had decided on its due times, before this one
 * was restored from a backup; `held`: by a window (docs/behavior.md#hold-1).
 */
export type SpanEnd = (typeof spanEnds)[number];

/** A period in which one schedule was in force. Times are epoch milliseconds. */
export interface ScheduleSpan extends ScheduleFields {
  /** Due times after it belong to the span. */
  fromAt: number;
  /** Null while it is in force. A clock that was ahead may have begun it later than that: it never was in force. */
  untilAt: number | null;
  /**
   * When it ended, the first due time that was neither called nor missed; null if there was none. Of a clock that was ahead: those
   * between the end and this may have been called or missed, and need not.
   */
  nextDueAt: number | null;
  endReason: SpanEnd | null;
  /** Its first due times, up to this one, were held; null if none was. */
  heldUntil: number | null;
}

/** What a span is recorded of. */
export interface Planned extends ScheduleFields {
  id: string;
  /** Null if it is not due now, paused for example. */
  nextRunAt: number | null;
}

/** What changes in the spans of one job. */
export interface SpanChange {
  jobId: string;
  /** Epoch milliseconds. */
  at: number;
  /** The end of the span that is open, if one is. */
  ended: { reason: SpanEnd; nextDueAt: number | null } | null;
  /** The schedule that is in force from now on; null if there is none. */
  begun: ScheduleFields | null;
}

/** What a change of a job changes in its spans; null if its due times stay the same. */
export function spanChange(
  before: Planned | null,
  after: Planned,
  { at, reason }: { at: number; reason: SpanEnd },
): SpanChange | null {
  const isSame =
    before !== null &&
    before.nextRunAt === after.nextRunAt &&
    before.anchorAt === after.anchorAt &&
    sameDueTimes(before, after);
  if (isSame) return null;
  return {
    jobId: after.id,
    at,
    ended: before && { reason, nextDueAt: before.nextRunAt },
    begun: after.nextRunAt === null ? null : after,
  };
}

/** Schedules of a job that were never due and followed each other within this time are kept as one. */
export const shortestSpanMs = 60_000;

/** Whether a span, up to the end or the change that follows it, says nothing of any due time: it is short, and nothing was due or held. */
export function saysNothing(span: ScheduleSpan, { at, ended }: SpanChange): boolean {
  const { fromAt, untilAt, heldUntil } = span;
  const end = untilAt === null ? ended : { reason: span.endReason, nextDueAt: span.nextDueAt };
  if (fromAt > at || fromAt <= at - shortestSpanMs || heldUntil !== null) return false;
  const next = nextDue(scheduleOf(span), fromAt);
  return (
    (end?.reason === 'changed' || end?.reason === 'paused') &&
    end.nextDueAt === next &&
    (next ?? Infinity) > at
  );
}
