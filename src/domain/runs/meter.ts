/** Counts of runs, and how late they start. */

import type { RunStatus } from './run.ts';

/** An ended run, as it is counted. */
export interface CountedRun {
  status: RunStatus;
  /** How long after its due time it started. */
  latenessMs: number;
  /** Null if it is not known. */
  durationMs: number | null;
}

/** Where the engine counts its work. */
export interface Meter {
  runEnded(run: CountedRun): void;
  /** Counts jobs that missed due times. */
  jobsMissed(jobs: number): void;
}

/** How late the runs started that ended in a window of time; null if none ended. */
export interface Lateness {
  /** Length of the window. */
  windowSeconds: number;
  p50Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}
