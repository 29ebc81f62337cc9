/** What an explanation is made of: what was asked for and recorded, and the sentences that say it. */

import type { TargetVerdict } from '../../../domain/targets/verdict.ts';
import type { AuditEntry } from '../../../domain/accounts/audit.ts';
import type { PlanName } from '../../../domain/accounts/plan.ts';
import type { NamedDelivery } from '../../../domain/alerts/delivery.ts';
import type { Job } from '../../../domain/jobs/job.ts';
import type { Run, RunSummary } from '../../../domain/runs/run.ts';
import type { AskedTime } from './asked-time.ts';

/** What a fact is about, in the order in which an explanation tells them. */
export const factKinds = [
  'asked',
  'schedule',
  'due',
  'clock_change',
  'created',
  'paused',
  'changed',
  'account',
  'plan',
  'run',
  'missed',
  'attempts',
  'late',
  'cause',
  'downtime',
  'manual_run',
  'alert',
  'target',
  'next',
  'obstacle',
] as const;
export type FactKind = (typeof factKinds)[number];

/** One fact, with the sentence that says it. Only the values that it has are there; times are epoch milliseconds. */
export interface Fact {
  kind: FactKind;
  sentence: string;
  /** False if the sentence says that something was not recorded or could not be found out. */
  isKnown: boolean;
  at?: number;
  until?: number;
  runId?: string;
  status?: string;
  attempts?: number;
  httpStatus?: number;
  durationMs?: number;
  lateMs?: number;
  count?: number;
  error?: string;
  actor?: string;
  channelId?: string;
  deliveryId?: string;
}

/** What became of a due time, in one word. */
export const explainedOutcomes = [
  'success',
  'failed',
  'running',
  'interrupted',
  'missed',
  'waiting',
  'paused',
  'expired',
  'not_due',
  'not_created',
  'to_come',
  'unknown',
] as const;
export type ExplainedOutcome = (typeof explainedOutcomes)[number];

/** Why a job ran, did not run or ran late. Times are epoch milliseconds. */
export interface Explanation {
  /** The instant that was asked about. */
  at: number;
  /** The due time that is explained; null if there is none. */
  dueAt: number | null;
  outcome: ExplainedOutcome;
  /** The answer in a sentence or two. */
  answer: string;
  facts: Fact[];
}

/** A change of the job, from the audit trail. `who` is null for those who may not read the trail. */
export interface JobChange extends Pick<AuditEntry, 'at' | 'action' | 'fields'> {
  who: string | null;
}

/** What is kept of changes of the job, newest first. */
export interface JobTrail {
  changes: readonly JobChange[];
  /** From then on no change is missing, in epoch milliseconds. */
  completeSince: number;
}

/** What is known of a job. */
export type ExplainedJob = Pick<
  Job,
  | 'id'
  | 'paused'
  | 'after'
  | 'activeRunId'
  | 'nextRunAt'
  | 'createdAt'
  | 'scheduleType'
  | 'cronExpr'
  | 'timezone'
  | 'periodSeconds'
  | 'anchorAt'
  | 'timeoutSeconds'
  | 'retries'
>;

/** The account of its workspace. Times are epoch milliseconds. */
export interface ExplainedAccount {
  plan: PlanName;
  expiresAt: number | null;
  renewedAt: number | null;
}

/** The job that a job runs after. */
export interface FirstJob {
  name: string;
  paused: boolean;
  /** Whether it runs after another job itself. */
  isChained: boolean;
  /** Its newest run; null if none is kept. */
  run: RunSummary | null;
  /** The run of the job that the end of this run started; null if none is kept. */
  startedRunId: string | null;
}

/** Calls of the workspace that were in flight when the job was due. */
export interface CallsInFlight {
  all: number;
  /** To the host of the job. */
  toHost: number;
  /** Whether there may be more than were counted. */
  isPartial: boolean;
}

/** A time in which a node served. */
export interface ServedSpan {
  from: number;
  /** Null while it serves. */
  until: number | null;
}

/** What was recorded about a due time, and what holds now. */
export interface Records {
  now: number;
  asked: AskedTime;
  job: ExplainedJob;
  trail: JobTrail;
  account: ExplainedAccount;
  /** The run of the due time, or the missed run that it belongs to; null if none is kept. */
  run: RunSummary | null;
  /** The run of the job, by hand too, that was due last before it. */
  previous: RunSummary | null;
  /**
   * Runs by hand, or that another job started, in the minute that was asked about. For now, also the newest ones after the
   * newest scheduled run.
   */
  manual: readonly RunSummary[];
  /** The run that goes on now; null if none does. */
  active: Run | null;
  /** The job that it runs after; null if there is none. */
  firstJob: FirstJob | null;
  /** The due time of the oldest run that is kept; null if none is. */
  oldestKept: number | null;
  inFlight: CallsInFlight | null;
  slots: { all: number; perHost: number };
  /** When the server that answers started. */
  startedAt: number;
  /** When which node served, around the due time; null where that is not recorded. */
  served: readonly ServedSpan[] | null;
  deliveries: readonly NamedDelivery[];
  /** Whether an enabled channel serves the job now. */
  isWatched: boolean;
  target: TargetVerdict;
  /** Why the engine cannot do its work now. */
  troubles: readonly string[];
}
