/** What an explanation is made of: what was asked for and recorded, and the sentences that say it. */

import type { AuditEntry } from '../../domain/accounts/audit.ts';
import { inTwoUnits } from '../../domain/durations.ts';
import type { RunSummary } from '../../domain/runs/run.ts';

/** What a fact is about, in the order in which an explanation tells them. */
export const factKinds = [
  'asked',
  'schedule',
  'due',
  'clock_change',
  'paused',
  'held',
  'changed',
  'run',
  'meaning',
  'attempts',
  'late',
  'cause',
  'made_up',
  'replayed',
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
  /** When it happened, began or is due; and when it ended. */
  at?: number;
  until?: number;
  runId?: string;
  channelId?: string;
}

/** What became of a due time or a run, in one word. */
export const explainedOutcomes = [
  'success',
  'failed',
  'running',
  'interrupted',
  'missed',
  'waiting',
  'paused',
  'expired',
  'held',
  'not_due',
  'not_created',
  'to_come',
  'unknown',
] as const;
export type ExplainedOutcome = (typeof explainedOutcomes)[number];

/** The outcome, and the answer in a sentence or two. */
export interface Verdict {
  outcome: ExplainedOutcome;
  answer: string;
}

/** Why a job ran, did not run or ran late. Times are epoch milliseconds. */
export interface Explanation extends Verdict {
  /** The instant that was asked about. */
  at: number;
  /** The due time that is explained; null if there is none. */
  dueAt: number | null;
  /** The run that is explained; null if there is none. */
  runId: string | null;
  /** What can be done, in a sentence or two; null if nothing needs to be. */
  todo: string | null;
  /** The command line that calls once more, if that is part of it; null if it is not. */
  command: string | null;
  facts: Fact[];
}

/** A change of the job, from the audit trail. `who` is null for those who may not read the trail. */
export interface JobChange extends Pick<AuditEntry, 'at' | 'action' | 'fields'> {
  who: string | null;
}

/** A known fact. */
export function fact(kind: FactKind, sentence: string, values: Partial<Fact> = {}): Fact {
  return { kind, sentence, isKnown: true, ...values };
}

/** What is not known, and why. */
export function unknown(kind: FactKind, sentence: string, values: Partial<Fact> = {}): Fact {
  return { kind, sentence, isKnown: false, ...values };
}

/** A length: `340 ms`, `12 s`, `2 h 4 min`. */
export function lengthText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  return inTwoUnits(Math.round(ms / 1_000), { minute: 'min' });
}

/** ` by key laptop`; nothing for those who may not know, or if nobody is known. */
export function byWhom(change: Pick<JobChange, 'who'> | null): string {
  return change?.who ? ` by ${change.who}` : '';
}

/** The change that happened at an instant, as far as the clocks of one request tell; null if none is kept. */
export function changeAt(changes: readonly JobChange[], at: number): JobChange | null {
  return changes.find((change) => Math.abs(change.at - at) <= 1_000) ?? null;
}

/** A run that begins within this is on time, in milliseconds. */
export const onTimeMs = 1_000;

/** How late a run was claimed, in milliseconds; null if it was not. */
export function latenessOf(run: RunSummary | null): number | null {
  if (run === null || run.startedAt === null) return null;
  return Math.max(0, run.startedAt - run.scheduledFor);
}
