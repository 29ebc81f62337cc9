/** A run: one due time, or one manual request, of a job; with its states as data. */

/** Every state, and the states that may follow it. Drawn in docs/architecture.md. */
export const runTransitions = {
  queued: ['running'],
  running: ['success', 'failed', 'interrupted'],
  success: [],
  failed: [],
  interrupted: [],
  missed: [],
} as const satisfies Record<string, readonly string[]>;

export type RunStatus = keyof typeof runTransitions;

/** All states, in the order of a run's life. */
export const runStatuses = Object.keys(runTransitions) as RunStatus[];

/** The states a run may begin in: asked for by hand, claimed when due, found too late. */
export const firstRunStatuses = ['queued', 'running', 'missed'] as const satisfies RunStatus[];

/** Whether nothing follows this state. */
export function isFinal(status: RunStatus): boolean {
  return runTransitions[status].length === 0;
}

export type RunSource = 'scheduled' | 'manual';

/** Times are epoch milliseconds. */
export interface Run {
  id: string;
  jobId: string;
  source: RunSource;
  status: RunStatus;
  /** The due time, or the time of the manual request. */
  scheduledFor: number;
  startedAt: number | null;
  /** When the outcome was known, or the run was closed as interrupted; null for a missed run, which never began. */
  finishedAt: number | null;
  /** Attempts begun, kept before each is sent: after a crash the last one may not have left. */
  attempts: number;
  httpStatus: number | null;
  /** `finishedAt − startedAt`, all attempts and the waits between them included; null if it was interrupted. */
  durationMs: number | null;
  /** Preview of the last answer: at most 4096 bytes of UTF-8. */
  responseBody: string | null;
  truncated: boolean;
  error: string | null;
}

/** A run as it begins when it is asked for by hand, at `now` in epoch milliseconds. */
export function queuedRun(id: string, jobId: string, now: number): Run {
  return {
    id,
    jobId,
    source: 'manual',
    status: 'queued',
    scheduledFor: now,
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    httpStatus: null,
    durationMs: null,
    responseBody: null,
    truncated: false,
    error: null,
  };
}

/** How many of a job's retained runs are in each state. */
export type RunTotals = Record<RunStatus, number>;
