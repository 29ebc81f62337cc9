/** What counts runs, and how late they begin. */

import type { RunStatus } from './run.ts';

/** A run that ended, as it is counted. Times are milliseconds. */
export interface CountedRun {
  status: RunStatus;
  /** How long after its due time it began. */
  latenessMs: number;
  /** Null where it is not known. */
  durationMs: number | null;
}

/** What the engine tells of its work. */
export interface Meter {
  runEnded(run: CountedRun): void;
  /** So many jobs have missed due times. */
  jobsMissed(jobs: number): void;
}

/** How late runs began that ended in a time that is over now; null if none did. Milliseconds. */
export interface Lateness {
  /** Seconds of the time that is looked at. */
  windowSeconds: number;
  p50Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}
