/** A run: one due time, or one manual request, of a job; with its states as data. */

import { isoTime, isoTimeOrNull } from '../clock.ts';
import { got, invalidInput } from '../errors.ts';
import { reportDocument, type Report, type ReportDocument } from './report.ts';
import { errorOf, whyDocument } from './reason.ts';
import type { MissedFacts, RunReason, WhyDocument } from './reason.ts';

/** Every state, and the states that may follow it (drawn in docs/architecture.md). */
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

/** How lists show a run: a missed one may have been made up for. */
export const recentStatuses = [...runStatuses, 'made_up'] as const;
export type RecentStatus = (typeof recentStatuses)[number];

/** The states of runs that were no success. Their indexes hold no other run. */
export const badRunStatuses: readonly RunStatus[] = ['failed', 'interrupted', 'missed'];

/** Reads some of these states with commas between them. Throws `invalid_input`, naming the field or option. */
export function readRunStatuses(
  text: string,
  field = 'status',
  all: readonly RunStatus[] = runStatuses,
): RunStatus[] {
  const named = new Set(text.split(','));
  const statuses = all.filter((status) => named.has(status));
  if (statuses.length === named.size) return statuses;
  const known = all.join(', ');
  throw invalidInput(
    `${field} must be one or more of ${known}, with commas between them, ${got(text)}`,
  );
}

/** The states in which a run may begin: requested by hand, claimed when due, or missed. */
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
  /** When the outcome was known, or the run was marked interrupted; null for a missed run. */
  finishedAt: number | null;
  /** Attempts, counted before each is sent: after a crash the last one may not have been sent. */
  attempts: number;
  httpStatus: number | null;
  /** `finishedAt − startedAt`, with all attempts and the waits between them; null if it was interrupted. */
  durationMs: number | null;
  /** Preview of the last answer: at most 4096 bytes of UTF-8. */
  responseBody: string | null;
  truncated: boolean;
  /** Why it was no success; `error` is made of it. */
  reason: RunReason | null;
  /** What else is known of that, as a clause for people. */
  detail: string | null;
  /** Of a missed run: what it stands for. */
  missed?: MissedFacts;
  /** Set if its target answered 202 and reports later. */
  report?: Report;
  /** The run whose end started it, of a job that runs after another one; or the missed one that it makes up for. Left out for any other. */
  causedBy?: RunCause;
  /** The due time that it stands for, if that is another time than `scheduledFor`. */
  dueAt?: number;
}

/** A run, with its job. */
export interface RunCause {
  jobId: string;
  runId: string;
}

/** How a run came to be: by schedule, by hand, as a replay, after a run of another job, or to make up for a missed one. */
export function originOf(
  { source, causedBy, dueAt }: { source: RunSource; causedBy?: RunCause; dueAt?: unknown },
  jobId: string,
): 'schedule' | 'hand' | 'replay' | 'after' | 'make_up' {
  if (source === 'scheduled') return 'schedule';
  if (causedBy === undefined) return dueAt === undefined ? 'hand' : 'replay';
  return causedBy.jobId === jobId ? 'make_up' : 'after';
}

/** A run in a list: what it answered is read run by run. */
export type RunSummary = Omit<Run, NotInLists>;

type NotInLists = 'jobId' | 'responseBody' | 'truncated' | 'report';

/** A new manual run, requested at `now` (epoch milliseconds). */
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
    reason: null,
    detail: null,
  };
}

/** How many of a job's retained runs are in each state. */
export type RunTotals = Record<RunStatus, number>;

/** A run as the API and alerts show it: times are ISO 8601, and `error` says why it was no success. */
export type RunDocument = Omit<Run, RunTimes | 'report' | WhyFields> & {
  scheduledFor: string;
  startedAt: string | null;
  finishedAt: string | null;
  error: string | null;
  why?: WhyDocument;
  report?: ReportDocument;
  dueAt?: string;
};

/** A run in a list, as the API shows it. */
export type RunSummaryDocument = Omit<RunDocument, NotInLists>;

type RunTimes = 'scheduledFor' | 'startedAt' | 'finishedAt' | 'dueAt';
type WhyFields = 'reason' | 'detail' | 'missed';

/** Shows a run. */
export function runDocument({ jobId, responseBody, truncated, report, ...run }: Run): RunDocument {
  return {
    ...runSummaryDocument(run),
    jobId,
    responseBody,
    truncated,
    ...(report !== undefined && { report: reportDocument(report) }),
  };
}

/** Shows a run in a list. */
export function runSummaryDocument(run: RunSummary): RunSummaryDocument {
  const why = whyDocument(run);
  return {
    id: run.id,
    source: run.source,
    status: run.status,
    scheduledFor: isoTime(run.scheduledFor),
    startedAt: isoTimeOrNull(run.startedAt),
    finishedAt: isoTimeOrNull(run.finishedAt),
    attempts: run.attempts,
    httpStatus: run.httpStatus,
    durationMs: run.durationMs,
    error: errorOf(run),
    ...(why !== undefined && { why }),
    ...(run.causedBy !== undefined && { causedBy: run.causedBy }),
    ...(run.dueAt !== undefined && { dueAt: isoTime(run.dueAt) }),
  };
}

/** Whether a run waits for a report: its call is over. */
export function isWaiting({
  status,
  httpStatus,
}: Pick<RunSummary, 'status' | 'httpStatus'>): boolean {
  return status === 'running' && httpStatus !== null;
}
