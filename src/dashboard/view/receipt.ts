/**
 * Receipts in the browser: which keys it trusts and why, and what a verdict says. Nothing here asks a server. It is a script
 * of its own, which the other one loads when somebody looks at a receipt: it shares no state with it.
 */

import type { Run } from '../../api/runs/contract.ts';
import type { Receipt } from '../../domain/proof/receipt.ts';
import { sha256Hex } from '../../receipt/sha256.ts';
import { readTrustedKeys, type TrustedKeys } from '../../receipt/trusted-keys.ts';
import { verifyReceipt } from '../../receipt/verify.ts';
import { clock, dateIn, dayIn } from './times.ts';
import { figures } from './figures.ts';

export { readTrustedKeys };

/** A key that this browser has seen, and when it first did. */
export interface SeenKey {
  /** The 32 bytes, base64url. */
  publicKey: string;
  /** ISO 8601. */
  seenAt: string;
}

/**
 * How the keys of the server compare with those seen. `first`: none was seen before. `rotated`: there are new ones beside
 * all old ones. `replaced`: an old one is not served any more.
 */
export type KeyChange = 'first' | 'same' | 'rotated' | 'replaced';

/** What to trust from now on. Keys that replaced others are not: somebody must decide that. */
export function compareKeys(
  seen: readonly SeenKey[],
  served: TrustedKeys,
  seenAt: string,
): { seen: SeenKey[]; change: KeyChange } {
  const known = new Set(seen.map(({ publicKey }) => publicKey));
  const offered = [...served.values()].map(({ publicKey }) => publicKey);
  if (seen.some(({ publicKey }) => !offered.includes(publicKey))) {
    return { seen: [...seen], change: 'replaced' };
  }
  const news = offered.filter((publicKey) => !known.has(publicKey));
  const change = seen.length === 0 ? 'first' : news.length === 0 ? 'same' : 'rotated';
  return { seen: [...seen, ...news.map((publicKey) => ({ publicKey, seenAt }))], change };
}

/** The keys seen, as the verifier takes them: their ids are computed again. Throws for what is no key. */
export function trustedOf(seen: readonly SeenKey[]): TrustedKeys {
  const keys = seen.map(({ publicKey }) => ({ kty: 'OKP', crv: 'Ed25519', x: publicKey }));
  return readTrustedKeys([new TextEncoder().encode(JSON.stringify({ keys }))]);
}

/** Reads what this browser has kept; nothing for what is no list of keys. */
export function readSeen(text: string | null): SeenKey[] {
  try {
    const kept = JSON.parse(text ?? '[]') as SeenKey[];
    if (kept.some(({ seenAt }) => Number.isNaN(Date.parse(seenAt)))) return [];
    if (kept.length > 0) trustedOf(kept);
    return kept.map(({ publicKey, seenAt }) => ({ publicKey, seenAt }));
  } catch {
    return [];
  }
}

/** What a receipt was checked with. */
export type CheckedWith =
  | { kind: 'chosen'; keys: TrustedKeys }
  | { kind: 'seen'; seen: readonly SeenKey[]; change: KeyChange };

/** A verdict, for people. */
export interface CheckedReceipt {
  isValid: boolean;
  sentence: string;
  /** What the sentence does not say by itself. */
  remarks: string[];
  /** What a valid receipt states. */
  stated: [name: string, value: string][];
  /** Whether the server does not list a key any more that was seen before. */
  isReplaced: boolean;
}

/** Checks the receipt of a run. `nowMs` decides whether a year must be named. */
export function checkReceipt(
  bytes: Uint8Array,
  run: Run,
  checked: CheckedWith,
  nowMs: number,
): CheckedReceipt {
  const keys = checked.kind === 'chosen' ? checked.keys : trustedOf(checked.seen);
  const verdict = verifyReceipt(bytes, keys);
  const isReplaced = checked.kind === 'seen' && checked.change === 'replaced';
  const remarks = checked.kind === 'seen' ? changeRemarks(checked) : [];
  if (verdict.verdict !== 'valid') {
    const what = verdict.verdict === 'invalid' ? 'Not valid' : 'Not readable';
    const sentence = `${what}: ${verdict.reason}.`;
    return { isValid: false, sentence, remarks, stated: [], isReplaced };
  }
  const { receipt } = verdict;
  if (checked.kind === 'seen' && nowMs - seenAtOf(receipt, checked) < youngMs) {
    remarks.unshift(youngRemark);
  }
  const other = differences(receipt, run);
  const isValid = other.length === 0;
  return {
    isValid,
    sentence: isValid
      ? `Valid for the key ${receipt.keyId}, ${trustWords(receipt, checked, nowMs)}.`
      : `A signed receipt, but not of what this page shows: ${other.join(', ')} differ.`,
    remarks,
    stated: statedBy(receipt, verdict.receiptSha256),
    isReplaced,
  };
}

/** A key that was seen so lately says little about the server. */
const youngMs = 3_600_000;
const youngRemark =
  'This browser has known that key for less than an hour: so far this only shows that the receipt fits the key of now.';

/** Why the key is trusted. */
function trustWords(receipt: Receipt, checked: CheckedWith, nowMs: number): string {
  if (checked.kind === 'chosen') return 'which is in the file that you chose';
  const at = new Date(seenAtOf(receipt, checked)).toISOString();
  const isToday = dateIn(Date.parse(at)) === dateIn(nowMs);
  const when = isToday ? `today at ${clock(at)}` : `on ${dayIn(at, nowMs)}`;
  return `first seen by this browser ${when}`;
}

function seenAtOf({ keyId }: Receipt, { seen }: { seen: readonly SeenKey[] }): number {
  return Date.parse(seen.find((key) => trustedOf([key]).has(keyId))?.seenAt ?? '');
}

function changeRemarks({ change, seen }: Extract<CheckedWith, { kind: 'seen' }>): string[] {
  if (change === 'rotated') {
    return ['The server has a new key and lists the old one as retired: it was rotated.'];
  }
  if (change !== 'replaced') return [];
  const since = dayIn(seen[0]?.seenAt ?? '', 0);
  return [
    `The server no longer lists a key that this browser knows since ${since}. A rotation would keep it: ask its operator before you trust another key.`,
  ];
}

/** What a receipt states otherwise than the page. */
export function differences({ payload }: Receipt, run: Run): string[] {
  const preview = new TextEncoder().encode(run.responseBody ?? '');
  const pairs: [name: string, stated: unknown, shown: unknown][] = [
    ['run', payload.runId, run.id],
    ['job', payload.jobId, run.jobId],
    ['status', payload.status, run.status],
    ['source', payload.source, run.source],
    ['HTTP status', payload.httpStatus, run.httpStatus],
    ['due time', payload.scheduledFor, run.scheduledFor],
    ['time it stands for', payload.dueAt, run.dueAt],
    ['begin', payload.startedAt, run.startedAt],
    ['end', payload.finishedAt, run.finishedAt],
    ['attempts', payload.attempts, run.attempts],
    ['duration', payload.durationMs, run.durationMs],
    ['answer', payload.responseSha256, sha256Hex(preview)],
    ['length', payload.truncated, run.truncated],
    ['report', reportOf(payload.report), reportShown(run)],
  ];
  return pairs.filter(([, stated, shown]) => stated !== shown).map(([name]) => name);
}

/** A report in one text, to be compared. */
function reportOf(report: Receipt['payload']['report']): string {
  if (report === undefined) return 'none';
  const { outcome, reportedAt, reportedBy, messageSha256 } = report;
  return [outcome, reportedAt, reportedBy, messageSha256].join(' ');
}

/** The same of what the page shows. */
function reportShown({ report }: Run): string {
  if (!report) return 'none';
  const { outcome, reportedAt, reportedBy, message } = report;
  const messageSha256 = message === null ? null : sha256Hex(new TextEncoder().encode(message));
  return reportOf({ outcome: outcome ?? 'expired', reportedAt, reportedBy, messageSha256 });
}

/** What a receipt says of a wait for a report. */
function reportLines({ report }: Receipt['payload']): CheckedReceipt['stated'] {
  if (report === undefined) return [];
  const { outcome, reportedAt, reportedBy, messageSha256 } = report;
  const who = reportedBy === 'target' ? 'the target' : 'a person';
  const lines: CheckedReceipt['stated'] = [
    ['Report', reportedAt === null ? 'none came in time' : `${outcome} at ${reportedAt} by ${who}`],
  ];
  if (messageSha256 !== null) lines.push(['SHA-256 of the report', messageSha256]);
  return lines;
}

function statedBy({ keyId, payload }: Receipt, sha256: string): CheckedReceipt['stated'] {
  const kept = `${figures(payload.responseBytes)} bytes`;
  return [
    ['Result', `${payload.status}, HTTP ${payload.httpStatus}`],
    ['Due', payload.scheduledFor],
    ...(payload.dueAt === undefined ? [] : [['Stands for', payload.dueAt] as [string, string]]),
    ['Began', payload.startedAt],
    ['Ended', payload.finishedAt],
    ['Answer', payload.truncated ? `${kept} kept, more was sent` : kept],
    ['SHA-256 of the answer', payload.responseSha256],
    ...reportLines(payload),
    ['Issued', `${payload.issuedAt} by ${payload.issuer}`],
    ['Signed with key', keyId],
    ['SHA-256 of this receipt', sha256],
    ['SHA-256 of the one before', payload.previousReceiptSha256 ?? 'none: it is the first'],
  ];
}
