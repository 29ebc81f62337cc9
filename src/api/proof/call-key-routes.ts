/** Routes for targets that want to know who called them. They are outside the API and need no key. */

import type { Ground } from '../../app/app.ts';
import { createPublishedCallKeys } from '../../app/proof/call-keys.ts';
import { callKeySet, discovery, signatureDirectory } from '../../app/proof/published.ts';
import { keysCachedSeconds, type CallKey } from '../../domain/proof/call-key.ts';
import { describe } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { answerFrom, fixedAnswer, jsonType } from '../http/fixed-answer.ts';
import { CallKeys, Discovery } from './call-key-contract.ts';

const directoryType = 'application/http-message-signatures-directory+json';

// Only reading: a database that is locked for writing does not matter.
const failures = { 429: null, 503: null };

const operations = describe(
  { tag: 'Signed calls', isExtension: true },
  {
    getCallKeys: {
      summary: 'Get the keys of tokens',
      description:
        'Returns the public keys that verify the tokens and signatures of calls. Keep them for 5 minutes at most: a new key ' +
        'is here 10 minutes before it signs.',
      response: { 200: CallKeys },
      answer: 'The keys.',
      isOpen: true,
      failures,
    },
    getSignatureDirectory: {
      summary: 'Get the keys of request signatures',
      description:
        'Returns the public keys of Ed25519, as `Signature-Agent` of a signed call promises. The media type is ' +
        '`application/http-message-signatures-directory+json`.',
      response: { 200: CallKeys },
      answer: 'The keys.',
      answerType: directoryType,
      isOpen: true,
      failures,
    },
    getDiscovery: {
      summary: 'Get the discovery document of OpenID Connect',
      description:
        'Says where the keys of tokens are, for libraries and clouds that trust an issuer.',
      response: { 200: Discovery },
      answer: 'The document.',
      isOpen: true,
      failures,
    },
  },
);

/** Others may keep a document as long as keys allow. */
const cacheControl = `public, max-age=${keysCachedSeconds}`;

/** Adds the routes (docs/behavior.md#identity-5). */
export function callKeyRoutes(server: ApiServer, app: Ground, siteUrl: () => string): void {
  const find = createPublishedCallKeys(app);
  const documentOf = (type: string, shape: (keys: readonly CallKey[]) => object) =>
    answerFrom({ type, cacheControl, find, make: (keys) => JSON.stringify(shape(keys)) });
  const keySet = documentOf(jsonType, callKeySet);
  const directory = documentOf(directoryType, signatureDirectory);
  const discovered = () => JSON.stringify(discovery(siteUrl()));
  const configuration = fixedAnswer(jsonType, discovered, cacheControl);
  const { getCallKeys, getSignatureDirectory, getDiscovery } = operations;
  server.get('/.well-known/jwks.json', getCallKeys, keySet);
  const place = '/.well-known/http-message-signatures-directory';
  server.get(place, getSignatureDirectory, directory);
  server.get('/.well-known/openid-configuration', getDiscovery, configuration);
}
