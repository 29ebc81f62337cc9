/**
 * The ledger: each due time of a job has a run of its own or is in a missed one, or it is said why not. What was due is
 * computed again from the spans of its schedules; what happened is in its runs.
 */

import { dueBetween, nextDue, type DueTimes } from '../../domain/schedule/next.ts';
import { scheduleOf, type Schedule } from '../../domain/schedule/schedule.ts';
import { spanEnds, type ScheduleSpan, type SpanEnd } from '../../domain/schedule/span.ts';

/**
 * A period: after `after`, up to and including `until`; epoch milliseconds. The ledger's may end after now, as a clock that was
 * ahead may have called what is still to come.
 */
export interface Period {
  after: number;
  until: number;
}

/** What the ledger reads of a run that stands for a due time, in epoch milliseconds. */
export interface KeptRun {
  scheduledFor: number;
  /** The last due time that a missed run stands for; null for a run that was called. */
  lastDueAt: number | null;
  /** Whether it is not of the schedule, and was called for that due time all the same. */
  isStandIn?: boolean;
}

export interface LedgerInput extends Period {
  now: number;
  /** When the job is due next; null if it is not. */
  nextRunAt: number | null;
  /** All of its spans, the oldest first. */
  spans: readonly ScheduleSpan[];
  /** Its scheduled runs of the period, by due time; and before them the last missed one, if any. */
  runs: readonly KeptRun[];
}

/** Due times that are neither called nor missed because their schedule was not in force any more. */
export interface Explained extends DueTimes {
  reason: SpanEnd;
}

/** How many due times each reason explains. */
export function countsByReason(explained: readonly Explained[]): Record<SpanEnd, number> {
  const counts = Object.fromEntries(spanEnds.map((reason) => [reason, 0]));
  for (const { reason, count } of explained) counts[reason] = (counts[reason] ?? 0) + count;
  return counts as Record<SpanEnd, number>;
}

/** What became of the due times of a job. */
export interface Ledger {
  /** Due times that have a run of their own. */
  called: number;
  /** Due times that are in a missed run. */
  missed: number;
  /** Due times that have passed, and are still to be called or missed. */
  waiting: number;
  explained: Explained[];
  /** Due times without any trace. */
  unaccounted: DueTimes[];
  /** Due times of runs that no schedule explains. */
  unexpected: number[];
}

/** That of nothing. */
export function emptyLedger(): Ledger {
  return { called: 0, missed: 0, waiting: 0, explained: [], unaccounted: [], unexpected: [] };
}

/** Whether every due time is accounted for, and every run was due. */
export function isComplete({ unaccounted, unexpected }: Ledger): boolean {
  return unaccounted.length === 0 && unexpected.length === 0;
}

/** Compares what was due in a period with what happened. Its cost grows with the runs, not with the due times. */
export function checkLedger(input: LedgerInput): Ledger {
  const ledger = emptyLedger();
  const expected = new Set<number>();
  const inForce = input.spans.filter(
    ({ fromAt, untilAt }) => untilAt === null || fromAt <= untilAt,
  );
  for (const [index, span] of inForce.entries()) {
    checkSpan(span, inForce[index + 1]?.fromAt ?? Infinity, { input, ledger, expected });
  }
  for (const { scheduledFor, isStandIn = false } of input.runs) {
    if (isStandIn || scheduledFor <= input.after || expected.has(scheduledFor)) continue;
    if (!isOfClockAhead(input.spans, scheduledFor)) ledger.unexpected.push(scheduledFor);
  }
  return ledger;
}

interface Work {
  input: LedgerInput;
  ledger: Ledger;
  /** Due times of runs that a span explains. */
  expected: Set<number>;
}

/** `nextFromAt`: when the next span began. */
function checkSpan(span: ScheduleSpan, nextFromAt: number, work: Work): void {
  const { after, until, now, nextRunAt } = work.input;
  const schedule = scheduleOf(span);
  const begin = Math.max(after, span.fromAt);
  const heldUntil = span.heldUntil ?? begin;
  const heldTo = Math.min(until, heldUntil, span.untilAt ?? Infinity);
  const held = dueIn(schedule, { after: begin, until: heldTo });
  if (held !== null) work.ledger.explained.push({ ...held, reason: 'held' });
  const from = Math.max(begin, heldUntil);
  const passed = Math.min(until, now);
  if (span.endReason === null) {
    // Also what is still to come: a job whose next due time was moved or lost would skip some.
    const otherwise = nextDue(schedule, now) ?? now;
    const last = Math.min(until, beforeDue(nextRunAt, otherwise));
    checkDecided(schedule, { after: from, until: last }, work);
    work.ledger.waiting +=
      dueIn(schedule, { after: Math.max(from, last), until: passed })?.count ?? 0;
  } else {
    const endedAt = Math.min(until, span.untilAt ?? passed);
    const last = Math.min(endedAt, beforeDue(span.nextDueAt, endedAt));
    checkDecided(schedule, { after: from, until: last }, work);
    const left = dueIn(schedule, {
      after: Math.max(from, last),
      until: Math.min(passed, nextFromAt),
    });
    if (left !== null) work.ledger.explained.push({ ...left, reason: span.endReason });
  }
}

/** Whether a due time was decided on that had not come yet when the clock was set right: it may have a run, and need not. */
export function isOfClockAhead(spans: readonly ScheduleSpan[], dueAt: number): boolean {
  return spans.some((span) => {
    const { fromAt, untilAt, nextDueAt } = span;
    if (untilAt === null || dueAt <= Math.max(fromAt, untilAt)) return false;
    return dueAt < (nextDueAt ?? Infinity) && nextDue(scheduleOf(span), dueAt - 1) === dueAt;
  });
}

/** Until when due times are decided on: just before the next one, or up to `otherwise` if there is none. */
function beforeDue(nextDueAt: number | null, otherwise: number): number {
  return nextDueAt === null ? otherwise : nextDueAt - 1;
}

function dueIn(schedule: Schedule, { after, until }: Period): DueTimes | null {
  return after < until ? dueBetween(schedule, after, until) : null;
}

/** Looks for the run of each due time that was decided on. */
function checkDecided(schedule: Schedule, { after, until }: Period, work: Work): void {
  const { ledger, expected, input } = work;
  const { runs } = input;
  let covered = -Infinity;
  let index = 0;
  let due = nextDue(schedule, after);
  while (due !== null && due <= until) {
    for (let run = runs[index]; run !== undefined && run.scheduledFor <= due; run = runs[++index]) {
      if (run.scheduledFor === due) expected.add(due);
      if (run.lastDueAt !== null) covered = Math.max(covered, run.lastDueAt);
    }
    const previous = runs[index - 1];
    if (previous?.scheduledFor === due && previous.lastDueAt === null) {
      ledger.called += 1;
      due = nextDue(schedule, due);
      continue;
    }
    // As far as the same is true of all due times.
    const following = (runs[index]?.scheduledFor ?? Infinity) - 1;
    const end = Math.min(until, following, covered >= due ? covered : Infinity);
    const alike = dueBetween(schedule, due - 1, end) ?? { first: due, last: due, count: 1 };
    if (covered >= due) ledger.missed += alike.count;
    else ledger.unaccounted.push(alike);
    due = nextDue(schedule, alike.last);
  }
}
