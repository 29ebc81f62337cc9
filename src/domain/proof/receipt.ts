/**
 * A receipt: what the service attests about one answered call (docs/behavior.md#receipt-1). This file decides which
 * runs have one and what it says; `receipt/` signs and verifies it.
 */

import { isoTime, isoTimeOrNull } from '../clock.ts';
import type { Report, ReportOutcome, Reporter } from '../runs/report.ts';
import type { Run, RunSource } from '../runs/run.ts';

/** Version of the payload's layout. */
const receiptVersion = 1;

/** What is attested: nothing about the request, and only a fingerprint of the answer. Times as `isoTime`. */
export interface ReceiptPayload {
  version: typeof receiptVersion;
  /** URL of the site that made the call, without a trailing slash. */
  issuer: string;
  runId: string;
  jobId: string;
  source: RunSource;
  status: 'success' | 'failed';
  scheduledFor: string;
  /** The due time that the run stands for; only if that is another time than `scheduledFor`. */
  dueAt?: string;
  startedAt: string;
  finishedAt: string;
  attempts: number;
  httpStatus: number;
  durationMs: number;
  /** SHA-256 of the stored preview's UTF-8 bytes, in hexadecimal. */
  responseSha256: string;
  /** Length of those bytes. */
  responseBytes: number;
  truncated: boolean;
  /** Only if the target answered 202 and the run waited for its report. */
  report?: ReceiptReport;
  issuedAt: string;
  /** SHA-256, in hexadecimal, of the canonical form of this job's previous receipt; null for the first. */
  previousReceiptSha256: string | null;
}

/** What became of a wait for a report. */
export interface ReceiptReport {
  /** `expired`: no report came in time. */
  outcome: ReportOutcome;
  /** When the report came; null if none did. */
  reportedAt: string | null;
  /** Who reported: the target, by the URL that the call carried, or a person; null if nobody did. */
  reportedBy: Reporter | null;
  /** SHA-256 of the UTF-8 bytes of the message as it is kept, in hexadecimal; null without a message. */
  messageSha256: string | null;
}

/** A receipt before it is signed. The signature covers all of this. */
export interface UnsignedReceipt {
  algorithm: 'Ed25519';
  /** RFC 7638 thumbprint of the key. */
  keyId: string;
  /** The key, base64url. That it is in the receipt is no reason to trust it. */
  publicKey?: string;
  payload: ReceiptPayload;
}

/** A receipt; `signature` in base64url. */
export interface Receipt extends UnsignedReceipt {
  signature: string;
}

export type AnsweredRun = Run & {
  status: 'success' | 'failed';
  startedAt: number;
  finishedAt: number;
  httpStatus: number;
  durationMs: number;
};

/** Whether a run has a receipt: it ended with an HTTP response. */
export function hasReceipt(run: Run): run is AnsweredRun {
  return (
    (run.status === 'success' || run.status === 'failed') &&
    run.httpStatus !== null &&
    run.startedAt !== null &&
    run.finishedAt !== null &&
    run.durationMs !== null
  );
}

const encoder = new TextEncoder();

/** What the receipt of a run attests. `issuedAt` in epoch milliseconds; `sha256` returns hexadecimal. */
export function receiptPayload(
  run: AnsweredRun,
  issue: {
    siteUrl: string;
    issuedAt: number;
    previousReceiptSha256: string | null;
    sha256: (bytes: Uint8Array) => string;
  },
): ReceiptPayload {
  const preview = encoder.encode(run.responseBody ?? '');
  return {
    version: receiptVersion,
    issuer: issuerOf(issue.siteUrl),
    runId: run.id,
    jobId: run.jobId,
    source: run.source,
    status: run.status,
    scheduledFor: isoTime(run.scheduledFor),
    ...(run.dueAt !== undefined && { dueAt: isoTime(run.dueAt) }),
    startedAt: isoTime(run.startedAt),
    finishedAt: isoTime(run.finishedAt),
    attempts: run.attempts,
    httpStatus: run.httpStatus,
    durationMs: run.durationMs,
    responseSha256: issue.sha256(preview),
    responseBytes: preview.length,
    truncated: run.truncated,
    ...(run.report !== undefined && {
      report: reportOf(run.report, issue.sha256),
    }),
    issuedAt: isoTime(issue.issuedAt),
    previousReceiptSha256: issue.previousReceiptSha256,
  };
}

function reportOf(
  { outcome, reportedAt, reportedBy, message }: Report,
  sha256: (bytes: Uint8Array) => string,
): ReceiptReport {
  return {
    outcome: outcome ?? 'expired',
    reportedAt: isoTimeOrNull(reportedAt),
    reportedBy,
    messageSha256: message === null ? null : sha256(encoder.encode(message)),
  };
}

/** In ASCII: a receipt has no other characters, so that none can be mistaken for another. */
function issuerOf(siteUrl: string): string {
  return new URL(siteUrl).href.replace(/(?<!\/)\/+$/, '');
}
