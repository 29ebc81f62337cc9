/**
 * Digests: what one channel hears of many runs or subjects at once. The rule, whole:
 *
 * - Missed and interrupted runs are gathered for 30 s and reported together, each kind by itself. The next such alert follows
 *   5 min after the last at the earliest.
 * - A reminder names everything that is still down. It is due once a job or monitor has been down for the interval of the
 *   channel, and then an interval after each reminder.
 * - While a digest waits to arrive, no further one of its kind is made. What happens meanwhile is in the next one.
 */

import type { AlsoOn } from './fields.ts';

/** The alerts that are digests. */
export type DigestEvent = `job.${AlsoOn}` | 'reminder';

/** A run to report. Times are epoch milliseconds. */
export interface ReportedRun {
  id: string;
  jobId: string;
  workspaceId: string;
  scheduledFor: number;
  /** The last of the due times that it stands for: a job that misses many has one run. */
  lastDueAt: number;
  /** As a clause for people. */
  reason: string;
}

/** Runs that are gathered for a channel. Times are epoch milliseconds. */
export interface Gathered {
  count: number;
  from: number;
  to: number;
  reasons: readonly string[];
  /** Some of the runs: the ones that came first. */
  first: readonly Pick<ReportedRun, 'id' | 'jobId' | 'scheduledFor'>[];
}

/** Runs and subjects that a digest names; of more it says how many. */
export const mostNamed = 10;
const mostReasons = 3;

const gatherMs = 30_000;
/** The least time between two alerts of one kind. */
export const digestPauseMs = 300_000;
/** While a digest waits to arrive, the next one is tried again after this. */
export const digestWaitMs = 60_000;

/** Adds runs, at least one, to what is gathered. */
export function gather(before: Gathered | null, runs: readonly ReportedRun[]): Gathered {
  const reasons = new Set([...(before?.reasons ?? []), ...runs.map(({ reason }) => reason)]);
  const named = runs.map(({ id, jobId, scheduledFor }) => ({ id, jobId, scheduledFor }));
  return {
    count: (before?.count ?? 0) + runs.length,
    from: runs.reduce((at, run) => Math.min(at, run.scheduledFor), before?.from ?? Infinity),
    to: runs.reduce((at, run) => Math.max(at, run.lastDueAt), before?.to ?? -Infinity),
    reasons: [...reasons].slice(0, mostReasons),
    first: [...(before?.first ?? []), ...named].slice(0, mostNamed),
  };
}

/** When runs that are gathered from `now` on are reported; `quietUntil` is when the pause after the last report ends. */
export function gatheredDueAt(now: number, quietUntil: number): number {
  // A pause cannot be longer, unless the clock was set back.
  const pauseEnd = quietUntil <= now + digestPauseMs ? quietUntil : now;
  return Math.max(now + gatherMs, pauseEnd);
}
