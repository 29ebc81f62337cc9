/** Reports of targets after an answer of 202 (docs/behavior.md#report-2). */

import { checkLength } from '../characters.ts';
import { invalidInput } from '../errors.ts';
import { oneLine } from '../one-line.ts';
import type { ReportStatus } from './report.ts';

/** The rules of a report. */
export const maxMessageLength = 1_000;
export const maxPercent = 100;

export interface SentReport {
  status: ReportStatus;
  /** On one line; null if nothing was said. */
  message: string | null;
  /** Of progress, from 0 to 100. */
  percent: number | null;
}

/** A report as it comes in: what the end of the URL, the query and the body say. */
export interface GivenReport {
  status?: ReportStatus | undefined;
  message?: string | null | undefined;
  percent?: number | null | undefined;
}

/** Reads a report; `signal` follows the token in the URL. Throws `invalid_input` if it contradicts the status or is too long. */
export function readReport(signal: ReportStatus | null, given: GivenReport): SentReport {
  const { status = signal ?? 'success', message = null, percent = null } = given;
  if (signal !== null && status !== signal) {
    throw invalidInput(`status must be ${signal} at this URL, got ${status}`);
  }
  if (percent !== null && status !== 'progress') {
    throw invalidInput(`percent must be given with progress only, got it with ${status}`);
  }
  if (message !== null) checkLength('message', message.replaceAll('\0', ' '), maxMessageLength);
  return { status, message: oneLine(message ?? '') || null, percent };
}

/** Reads what follows the token in a report URL; undefined for anything unknown. Null for nothing, which a body may decide. */
export function reportSignal(words: string | undefined): ReportStatus | null | undefined {
  if (words === undefined) return null;
  if (words === 'fail') return 'failed';
  return words === 'progress' ? words : undefined;
}
