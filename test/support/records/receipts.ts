/** Receipts as the service makes them, with public test keys. */

import { createPrivateKey } from 'node:crypto';
import { newId } from '../../../src/domain/id.ts';
import { hasReceipt, receiptPayload } from '../../../src/domain/proof/receipt.ts';
import type { AnsweredRun, Receipt, ReceiptPayload } from '../../../src/domain/proof/receipt.ts';
import type { Run } from '../../../src/domain/runs/run.ts';
import { toBase64url } from '../../../src/receipt/base64.ts';
import { nativeSha256, signingKeyOf, signReceipt } from '../../../src/receipt/sign.ts';
import type { SigningKey } from '../../../src/receipt/sign.ts';
import { receiptSha256 } from '../../../src/receipt/verify.ts';

/** The signing key whose seed is 32 times this byte. */
export function testSigningKey(byte: number): SigningKey {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const der = Buffer.concat([prefix, Buffer.alloc(32, byte)]);
  return signingKeyOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

export const signingKey = testSigningKey(1);
export const attackerKey = testSigningKey(2);

const siteUrl = 'https://jobs.example.com';
const start = Date.parse('2025-10-09T05:30:00.000Z');
export const jobId = newId(start);

/** A run that was answered `after` milliseconds after the start time of these tests. */
export function answeredRun(changes: Partial<Run> = {}, after = 0): AnsweredRun {
  const at = start + after;
  const run: Run = {
    id: newId(at),
    jobId,
    source: 'scheduled',
    status: 'success',
    scheduledFor: at,
    startedAt: at + 14,
    finishedAt: at + 426,
    attempts: 1,
    httpStatus: 200,
    durationMs: 412,
    responseBody: '{"sent":37}',
    truncated: false,
    reason: null,
    detail: null,
    ...changes,
  };
  if (!hasReceipt(run)) throw new Error('such a run has no receipt');
  return run;
}

/** The payload of a receipt of this run. */
export function payloadOf(run: AnsweredRun, previous: Receipt | null = null): ReceiptPayload {
  return receiptPayload(run, {
    siteUrl,
    issuedAt: run.finishedAt + 3,
    previousReceiptSha256: previous && receiptSha256(previous),
    sha256: nativeSha256,
  });
}

/** A signed receipt of a run with these changes. */
export function receiptOf(changes: Partial<Run> = {}, key = signingKey): Receipt {
  return signed(payloadOf(answeredRun(changes)), key);
}

/**
 * The receipts of a job's first runs, each signed with the key that `keyAt` returns for its number.
 */
export function chainOfReceipts(
  length: number,
  { ofJob = jobId, keyAt }: { ofJob?: string; keyAt?: (index: number) => SigningKey } = {},
): Receipt[] {
  const receipts: Receipt[] = [];
  for (let index = 0; index < length; index++) {
    const run = answeredRun({ jobId: ofJob }, index * 60_000);
    receipts.push(signed(payloadOf(run, receipts.at(-1) ?? null), keyAt?.(index) ?? signingKey));
  }
  return receipts;
}

/** A value as a downloaded file. */
export function fileOf(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** The group's order L: the second half of a signature is only determined modulo L. */
const order = 2n ** 252n + 27742317777372353535851937790883648493n;

/**
 * The same signature with S + L instead of S: valid for verifiers that do not check (RFC 8032,
 * section 8.4).
 */
export function malleated(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`) + order;
  const second = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed();
  return toBase64url(Buffer.concat([bytes.subarray(0, 32), second]));
}

/** The receipt of a payload, as parsed. */
export function signed(payload: ReceiptPayload, key: SigningKey): Receipt {
  return JSON.parse(signReceipt(payload, key)) as Receipt;
}
