/**
 * A target answers 202, works on, and reports later how that ended (docs/behavior.md#report-1). This file has
 * what is known of such a wait, and how a run ends by it; `read-report.ts` reads one.
 */

import { isoTime, isoTimeOrNull } from '../clock.ts';
import type { Outcome } from './outcome.ts';

/** What a report says: how the work ended, or how far it is. */
export const reportStatuses = ['success', 'failed', 'progress'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** How a wait ended. `expired`: no report came in time. */
export const reportOutcomes = ['success', 'failed', 'expired'] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

/** Who reported: the target, by its URL, or a person, by the API. */
export const reporters = ['target', 'person'] as const;
export type Reporter = (typeof reporters)[number];

/** The header of calls that names the URL of their reports. */
export const reportHeader = 'x-service-report-url';

/** A wait for a report, as people see it. Times are epoch milliseconds. */
export interface Report {
  /** The latest time for a report. */
  expiresAt: number;
  /** The last progress. */
  percent: number | null;
  line: string | null;
  progressAt: number | null;
  /** Null while it waits. */
  outcome: ReportOutcome | null;
  reportedAt: number | null;
  reportedBy: Reporter | null;
  /** What was reported, on one line. */
  message: string | null;
}

/** The same with times as ISO 8601. */
export type ReportDocument = Omit<Report, 'expiresAt' | 'progressAt' | 'reportedAt'> & {
  expiresAt: string;
  progressAt: string | null;
  reportedAt: string | null;
};

/** Shows a wait. */
export function reportDocument(report: Report): ReportDocument {
  const { expiresAt, progressAt, reportedAt, ...others } = report;
  return {
    expiresAt: isoTime(expiresAt),
    ...others,
    progressAt: isoTimeOrNull(progressAt),
    reportedAt: isoTimeOrNull(reportedAt),
  };
}

/** Makes and reads the ends of report URLs. */
export interface ReportTokens {
  readonly tokenOf: (runId: string) => string;
  /** The id of the run that a token was made for; null for any other text. */
  readonly runIdOf: (token: string) => string | null;
}

/** A wait that ends now. */
export interface EndingWait {
  acceptedAt: number;
  expiresAt: number;
  outcome: ReportOutcome | null;
  message: string | null;
}

/** What a run that waited keeps: its status, and why. */
export function outcomeOfWait(wait: EndingWait): Pick<Outcome, 'status' | 'reason' | 'detail'> {
  const { outcome, message, acceptedAt, expiresAt } = wait;
  if (outcome === 'success') return { status: 'success', reason: null, detail: null };
  if (outcome === 'failed') {
    const detail = message ?? 'a failure, without a message';
    return { status: 'failed', reason: 'reported', detail };
  }
  const seconds = Math.round((expiresAt - acceptedAt) / 1_000);
  return { status: 'failed', reason: 'no_report', detail: `no report within ${seconds} s` };
}

/** Whether an answer begins a wait instead of ending its run. */
export function beginsWait(
  reportWithinSeconds: number | null,
  { status, httpStatus }: Pick<Outcome, 'httpStatus'> & { status: string },
): boolean {
  return reportWithinSeconds !== null && status === 'success' && httpStatus === 202;
}

/** How far the work is, in words: `40 %: copying`. Null if nothing was said. */
export function progressWords({ percent, line }: Pick<Report, 'percent' | 'line'>): string | null {
  const parts = [percent === null ? null : `${percent} %`, line];
  return parts.filter((part) => part !== null).join(': ') || null;
}

/** What became of a wait, in a clause; `time` writes a moment. */
export function reportWords(report: ReportDocument, time: (iso: string) => string): string {
  const { outcome, reportedAt, reportedBy, message, expiresAt, progressAt } = report;
  if (outcome === 'expired') return `none came until ${time(expiresAt)}`;
  if (outcome === null || reportedAt === null) {
    const progress = progressWords(report);
    const far = progress === null ? '' : `: ${progress}`;
    const last = progressAt === null ? '' : `; last progress at ${time(progressAt)}${far}`;
    return `expected until ${time(expiresAt)}${last}`;
  }
  const who = reportedBy === 'target' ? 'the target' : 'a person';
  const said = message === null ? '' : `: ${message}`;
  return `${outcome} at ${time(reportedAt)} by ${who}${said}`;
}
