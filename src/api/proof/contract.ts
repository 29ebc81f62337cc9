/** What the API returns about receipts (docs/behavior.md#receipt-2) and the keys that verify them. */

import { Type, type Static } from 'typebox';
import { reportOutcomes, reporters } from '../../domain/runs/report.ts';
import * as t from '../http/schema.ts';
import * as examples from './examples.ts';

const algorithm = t.oneOf(['Ed25519'], 'Always `Ed25519` (RFC 8032).');
const keyId = t.text('The RFC 7638 thumbprint of the key.');

const report = t.part(
  'Extension: what became of the wait for a report. Only in receipts of runs whose target answered 202 and reports later.',
  {
    outcome: t.oneOf(reportOutcomes, 'What was reported; `expired` if no report came in time.'),
    reportedAt: t.momentOrNull('When the report came; null if none did.'),
    reportedBy: t.nullable(t.oneOf(reporters, 'Who reported: the target, or a person.')),
    messageSha256: t.textOrNull(
      'The SHA-256 of the stored message, in hexadecimal; null without one.',
    ),
  },
);

/** Contains nothing of the request, and only a hash of the response. */
const ReceiptPayload = Type.Object(
  {
    version: t.integer('The version of this layout: 1.'),
    issuer: t.text('The site that made the call.'),
    runId: t.id('The id of the run.'),
    jobId: t.id('The id of the job.'),
    source: t.oneOf(['scheduled', 'manual'], 'Whether the schedule or a person started the run.'),
    status: t.oneOf(['success', 'failed'], 'The outcome.'),
    scheduledFor: t.moment('The due time. For a manual run, when it was requested.'),
    dueAt: Type.Optional(
      t.moment(
        'Extension: the due time that the run stands for. Only if that is another time than `scheduledFor`.',
      ),
    ),
    startedAt: t.moment('When the first attempt started.'),
    finishedAt: t.moment('When the outcome was known.'),
    attempts: t.integer('The number of attempts.'),
    httpStatus: t.integer('The HTTP status of the last response.'),
    durationMs: t.integer('Milliseconds from `startedAt` to `finishedAt`.'),
    responseSha256: t.text('The SHA-256 of the stored part of the response, in hexadecimal.'),
    responseBytes: t.integer('The length of the stored part of the response, in bytes.'),
    truncated: t.flag('Whether the response was longer than the stored part.'),
    report: Type.Optional(report),
    issuedAt: t.moment('When the receipt was issued.'),
    previousReceiptSha256: t.textOrNull(
      "The SHA-256, in hexadecimal, of this job's previous receipt in canonical form; null for the first receipt.",
    ),
  },
  { title: 'ReceiptPayload', description: 'What the service observed.' },
);

export const Receipt = t.output('Receipt', 'A signed record of one call.', examples.receipt, {
  algorithm,
  keyId,
  publicKey: Type.Optional(
    t.text(
      'The public key, base64url. Trust the key that you fetched and kept yourself, not this one.',
    ),
  ),
  payload: ReceiptPayload,
  signature: t.text(
    'The signature, base64url, over the RFC 8785 canonical form of the receipt without `signature`.',
  ),
});
export type Receipt = Static<typeof Receipt>;

export const ReceiptKey = t.output(
  'ReceiptKey',
  'The public half of the signing key. Keep it: receipts outlive keys.',
  examples.receiptKey,
  {
    algorithm,
    keyId,
    publicKey: t.text('The 32 bytes of the key, base64url.'),
    jwk: Type.Object(
      { kty: t.text('`OKP`'), crv: t.text('`Ed25519`'), x: t.text('Same as `publicKey`.') },
      { description: 'The key as a JSON Web Key (RFC 8037).' },
    ),
    pem: t.text('The key as PEM (SubjectPublicKeyInfo).'),
  },
);

export const ReceiptKeys = t.output(
  'ReceiptKeys',
  'A JSON Web Key Set (RFC 7517): the current signing key first, then retired ones.',
  examples.receiptKeys,
  {
    keys: Type.Array(
      Type.Object({
        kty: t.text('`OKP`'),
        crv: t.text('`Ed25519`'),
        x: t.text('The 32 bytes of the key, base64url.'),
        kid: keyId,
        use: t.text('`sig`'),
        alg: t.text('`EdDSA`'),
      }),
      { description: 'The keys.' },
    ),
  },
);
export type ReceiptKeys = Static<typeof ReceiptKeys>;
