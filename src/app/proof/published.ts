/** What targets need to know who called them: documents that anybody may read. */

import { callAlgorithms } from '../../domain/proof/call-key.ts';
import type { CallAlgorithm, CallJwk, CallKey } from '../../domain/proof/call-key.ts';
import { claimNames } from '../../domain/proof/token.ts';

/** A public key as it is published (RFC 7517). */
export type PublishedKey = CallJwk & { kid: string; use: 'sig'; alg: CallAlgorithm };

/** The keys as a JSON Web Key Set. */
export function callKeySet(keys: readonly CallKey[]): { keys: PublishedKey[] } {
  return {
    keys: keys.map(({ keyId, algorithm, publicJwk }) => ({
      ...publicJwk,
      kid: keyId,
      use: 'sig',
      alg: algorithm,
    })),
  };
}

/** The directory of the keys that sign requests, which are those of Ed25519. */
export function signatureDirectory(keys: readonly CallKey[]): { keys: PublishedKey[] } {
  return callKeySet(keys.filter(({ algorithm }) => algorithm === 'EdDSA'));
}

/** The discovery document of OpenID Connect: how tokens of this site are verified. */
export function discovery(siteUrl: string) {
  return {
    issuer: siteUrl,
    jwks_uri: `${siteUrl}/.well-known/jwks.json`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...callAlgorithms],
    claims_supported: [...claimNames],
    scopes_supported: ['openid'],
  };
}
