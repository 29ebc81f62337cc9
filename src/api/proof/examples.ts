/** Examples in the API description: a receipt of the example run, and the key that signed it. */

import { run } from '../runs/examples.ts';

/** The key of RFC 8037, appendix A. The signature below is valid. */
const publicKey = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const keyId = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

export const receipt = {
  algorithm: 'Ed25519',
  keyId,
  publicKey,
  payload: {
    version: 1,
    issuer: 'https://jobs.example.com',
    runId: run.id,
    jobId: run.jobId,
    source: run.source,
    status: run.status,
    scheduledFor: run.scheduledFor,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    attempts: run.attempts,
    httpStatus: run.httpStatus,
    durationMs: run.durationMs,
    responseSha256: '2cc6ca9814e44d890e5d885b6793aa21143e1b3a39eefc0dfeeeb2798dcf1f6f',
    responseBytes: 11,
    truncated: false,
    issuedAt: '2025-10-09T05:30:00.641Z',
    previousReceiptSha256: null,
  },
  signature:
    'n-ZBU36yC8FNWD46OSssCPA_swSzKFfA4fSozMdOLLpHCwhPtAqDVwpvHhz3IL9DXiqOmpaN1T0ouvL2CoskBQ',
};

export const receiptKey = {
  algorithm: 'Ed25519',
  keyId,
  publicKey,
  jwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey },
  pem: '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n',
};

export const receiptKeys = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: publicKey, kid: keyId, use: 'sig', alg: 'EdDSA' }],
};
