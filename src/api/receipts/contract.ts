/** The contract of receipts (docs/behavior.md#receipt-2): what jobd signs, and the key to check it with. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import * as examples from '../description/examples.ts';
import { id, integer, moment, nullable, oneOf, text } from '../http/schema.ts';

const algorithm = oneOf(['Ed25519'], { description: 'Always `Ed25519` (RFC 8032).' });
const keyId = text('RFC 7638 thumbprint of the key.');

/** What a receipt attests: nothing of the request, and of the answer only a fingerprint. */
const ReceiptPayload = Type.Object(
  {
    version: integer('Version of this layout: 1.'),
    issuer: text('The site that made the call.'),
    runId: id('The id of the run.'),
    jobId: id('The id of its job.'),
    source: oneOf(['scheduled', 'manual'], { description: 'Who asked for the run.' }),
    status: oneOf(['success', 'failed'], { description: 'What came of it.' }),
    scheduledFor: moment('The due time, or when the run was asked for.'),
    startedAt: moment('When the first attempt began.'),
    finishedAt: moment('When the outcome was known.'),
    attempts: integer('Requests that were sent, or tried to be sent.'),
    httpStatus: integer('Status of the last answer.'),
    durationMs: integer('Milliseconds from `startedAt` to `finishedAt`.'),
    responseSha256: text('SHA-256 of the stored preview, in hexadecimal.'),
    responseBytes: integer('Bytes of the stored preview.'),
    truncated: Type.Boolean({
      description: 'Whether the target sent more than the preview holds.',
    }),
    issuedAt: moment('When the receipt was made.'),
    previousReceiptSha256: nullable(
      text(
        "SHA-256, in hexadecimal, of this job's previous receipt in canonical form; null for the first.",
      ),
    ),
  },
  { title: 'ReceiptPayload', description: 'What the service observed.' },
);

/** A receipt, as it is downloaded. */
export const Receipt = Type.Object(
  {
    algorithm,
    keyId,
    publicKey: Type.Optional(
      text('The public key, base64url. Trust the one you fetched and kept yourself, not this one.'),
    ),
    payload: ReceiptPayload,
    signature: text(
      'Signature, base64url, over the RFC 8785 canonical form of the receipt without `signature`.',
    ),
  },
  { title: 'Receipt', description: 'A signed account of one call.', examples: [examples.receipt] },
);
export type Receipt = Static<typeof Receipt>;

/** The key that receipts are checked with. */
export const ReceiptKey = Type.Object(
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
  {
    title: 'ReceiptKey',
    description: 'The public half of the signing key. Keep it: receipts outlive keys.',
    examples: [examples.receiptKey],
  },
);
export type ReceiptKey = Static<typeof ReceiptKey>;

/** Every key that receipts were signed with, as a JSON Web Key Set. */
export const ReceiptKeys = Type.Object(
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
  {
    title: 'ReceiptKeys',
    description: 'A JSON Web Key Set (RFC 7517): the key that signs now first, then retired ones.',
    examples: [examples.receiptKeys],
  },
);
