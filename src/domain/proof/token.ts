/** The text of a JSON Web Token (RFC 7519) that names the caller; `identity/sign.ts` signs it. */

import type { CallAlgorithm } from './call-key.ts';
import { subjectOf, validity, type Caller } from './caller.ts';

/** What a token claims. Times are seconds of the epoch. */
export interface Claims {
  iss: string;
  sub: string;
  aud: string;
  iat: number;
  nbf: number;
  exp: number;
  jti: string;
  workspace_id: string;
  job_id: string;
  run_id: string;
  scheduled_for: string;
}

/** The names of the claims, for discovery. */
export const claimNames = [
  'iss',
  'sub',
  'aud',
  'iat',
  'nbf',
  'exp',
  'jti',
  'workspace_id',
  'job_id',
  'run_id',
  'scheduled_for',
] as const satisfies readonly (keyof Claims)[];

/** The header of a token. */
export function tokenHeader(algorithm: CallAlgorithm, keyId: string): string {
  return JSON.stringify({ alg: algorithm, typ: 'JWT', kid: keyId });
}

/** The claims of a token; `id` must differ in each. */
export function tokenClaims(caller: Caller, timeoutMs: number, id: string): Claims {
  const { from, until } = validity(caller.at, timeoutMs);
  return {
    iss: caller.issuer,
    sub: subjectOf(caller),
    aud: caller.audience ?? '',
    iat: from,
    nbf: from,
    exp: until,
    jti: id,
    workspace_id: caller.workspaceId,
    job_id: caller.jobId,
    run_id: caller.runId,
    scheduled_for: caller.scheduledFor,
  };
}
