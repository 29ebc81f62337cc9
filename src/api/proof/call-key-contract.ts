/** What the API tells targets, so that they know who called them. */

import { Type } from 'typebox';
import * as t from '../http/schema.ts';
import * as examples from './call-key-examples.ts';

const CallKey = t.part('A public key as a JSON Web Key.', {
  kty: t.text('`OKP` or `RSA`.'),
  ...t.optional({
    crv: t.text('`Ed25519`, of a key of kind `OKP`.'),
    x: t.text('The 32 bytes of that key, base64url.'),
    n: t.text('The modulus of a key of kind `RSA`, base64url.'),
    e: t.text('Its exponent, base64url.'),
  }),
  kid: t.text('RFC 7638 thumbprint of the key.'),
  use: t.text('`sig`'),
  alg: t.text('`EdDSA` or `RS256`.'),
});

export const CallKeys = t.output(
  'CallKeys',
  'A JSON Web Key Set (RFC 7517), the newest key first. Empty until a job asks for a key.',
  examples.callKeys,
  { keys: Type.Array(CallKey, { description: 'The keys.' }) },
);

const names = (description: string) => t.array(Type.String(), description);

export const Discovery = t.output(
  'Discovery',
  'How tokens of this site are verified (OpenID Connect Discovery).',
  examples.discovery,
  {
    issuer: t.text('The site URL, as in the claim `iss` of each token.'),
    jwks_uri: t.text('Where the keys are.'),
    response_types_supported: names('Always `id_token`: nobody signs in here.'),
    subject_types_supported: names('Always `public`.'),
    id_token_signing_alg_values_supported: names('The algorithms of tokens.'),
    claims_supported: names('The claims of each token.'),
    scopes_supported: names('Always `openid`.'),
  },
);
