/** What the engine counts, and what waits in the store. */

import type { Loss } from './nodes.ts';
import type { RunStatus } from './runs/run.ts';

export interface CountedRun {
  status: RunStatus;
  /** How long after its due time it started. */
  latenessMs: number;
  /** Null if it is not known. */
  durationMs: number | null;
}

/** What came of an attempt to deliver an alert, or a result of a job; after `failed` there will be another one. */
export type AttemptResult = 'delivered' | 'failed' | 'given_up';

/** Where the engine counts its work. */
export interface Meter {
  runEnded(run: CountedRun): void;
  /** Counts runs that are interrupted because nobody executes them any more. */
  runsRescued(runs: number): void;
  jobsMissed(jobs: number): void;
  alertAttempted(result: AttemptResult): void;
  /** Counts an attempt to post a result of a job to its `onResult`. */
  resultAttempted(result: AttemptResult): void;
  /** Counts results that were given up because too many of their job waited. */
  resultsDropped(results: number): void;
  /** Counts history that was removed before its time, for want of space. */
  removedEarly(rows: { results: number; pings: number }): void;
  /** Counts spans that the collector has, or will not get. */
  spansLeft(result: 'sent' | 'dropped', spans: number): void;
  /** Counts that a database lost what it had confirmed to this node. */
  databaseLost(loss: Pick<Loss, 'calls' | 'outcomes'>): void;
  clockStepped(): void;
}

/** What waits in the store now, and the space it takes. */
export interface StoredFigures {
  /** Jobs that are due and not claimed, counted up to `mostCounted`. */
  jobsDue: number;
  /** Runs whose receipt is still to be signed, counted up to `mostCounted`. */
  receiptsUnsigned: number;
  /** Runs that wait for the report of their target, counted up to `mostCounted`. */
  reportsWaiting: number;
  /** Results of jobs that wait to be delivered, counted up to `mostCounted`. */
  resultsWaiting: number;
  databaseBytes: number;
  /** Null where a server sees to its disk. */
  diskFreeBytes: number | null;
  /** When the ledger was checked last, in epoch seconds; null before the first. */
  ledgerCheckedAtSeconds: number | null;
}

/** Counting stops here, so that it costs little however much there is. */
export const mostCounted = 10_000;
