/** What the API returns about receipts (docs/behavior.md#receipt-2) and the keys that verify them. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import { flag, id, integer, moment, nullable, oneOf, output, text } from '../http/schema.ts';
import * as examples from './examples.ts';

const algorithm = oneOf(['Ed25519'], { description: 'Always `Ed25519` (RFC 8032).' });
const keyId = text('The RFC 7638 thumbprint of the key.');

/** Contains nothing of the request, and only a hash of the response. */
const ReceiptPayload = Type.Object(
  {
    version: integer('The version of this layout: 1.'),
    issuer: text('The site that made the call.'),
    runId: id('The id of the run.'),
    jobId: id('The id of the job.'),
    source: oneOf(['scheduled', 'manual'], {
      description: 'Whether the schedule or a person started the run.',
    }),
    status: oneOf(['success', 'failed'], { description: 'The outcome.' }),
    scheduledFor: moment('The due time. For a manual run, when it was requested.'),
    startedAt: moment('When the first attempt started.'),
    finishedAt: moment('When the outcome was known.'),
    attempts: integer('The number of attempts.'),
    httpStatus: integer('The HTTP status of the last response.'),
    durationMs: integer('Milliseconds from `startedAt` to `finishedAt`.'),
    responseSha256: text('The SHA-256 of the stored part of the response, in hexadecimal.'),
    responseBytes: integer('The length of the stored part of the response, in bytes.'),
    truncated: flag('Whether the response was longer than the stored part.'),
    issuedAt: moment('When the receipt was issued.'),
    previousReceiptSha256: nullable(
      text(
        "The SHA-256, in hexadecimal, of this job's previous receipt in canonical form; null for the first receipt.",
      ),
    ),
  },
  { title: 'ReceiptPayload', description: 'What the service observed.' },
);

/** A receipt, as it is downloaded. */
export const Receipt = output('Receipt', 'A signed record of one call.', examples.receipt, {
  algorithm,
  keyId,
  publicKey: Type.Optional(
    text(
      'The public key, base64url. Trust the key that you fetched and kept yourself, not this one.',
    ),
  ),
  payload: ReceiptPayload,
  signature: text(
    'The signature, base64url, over the RFC 8785 canonical form of the receipt without `signature`.',
  ),
});
export type Receipt = Static<typeof Receipt>;

/** The key that verifies current receipts. */
export const ReceiptKey = output(
  'ReceiptKey',
  'The public half of the signing key. Keep it: receipts outlive keys.',
  examples.receiptKey,
  {
    algorithm,
    keyId,
    publicKey: text('The 32 bytes of the key, base64url.'),
    jwk: Type.Object(
      { kty: text('`OKP`'), crv: text('`Ed25519`'), x: text('Same as `publicKey`.') },
      { description: 'The key as a JSON Web Key (RFC 8037).' },
    ),
    pem: text('The key as PEM (SubjectPublicKeyInfo).'),
  },
);

/** Every key that ever signed receipts. */
export const ReceiptKeys = output(
  'ReceiptKeys',
  'A JSON Web Key Set (RFC 7517): the current signing key first, then retired ones.',
  examples.receiptKeys,
  {
    keys: Type.Array(
      Type.Object({
        kty: text('`OKP`'),
        crv: text('`Ed25519`'),
        x: text('The 32 bytes of the key, base64url.'),
        kid: keyId,
        use: text('`sig`'),
        alg: text('`EdDSA`'),
      }),
      { description: 'The keys.' },
    ),
  },
);
