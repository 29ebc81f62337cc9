/** Examples in the API description: the documents that say who called. */

import { claimNames } from '../../domain/proof/token.ts';

/** The key of RFC 8037, appendix A. */
const callKey = {
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kty: 'OKP',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  use: 'sig',
  alg: 'EdDSA',
};
export const callKeys = { keys: [callKey] };

const issuer = 'https://jobs.example.com';

export const discovery = {
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['EdDSA', 'RS256'],
  claims_supported: [...claimNames],
  scopes_supported: ['openid'],
};
