/** Routes for targets that want to know who called them. They are outside the API and need no key. */

import type { FastifyReply } from 'fastify';
import type { App } from '../../app/app.ts';
import { publishedCallKeys } from '../../app/calls/call-keys.ts';
import { callKeySet, discovery, signatureDirectory } from '../../app/calls/published.ts';
import { keysCachedSeconds } from '../../domain/calls/call-key.ts';
import { describe, tooManyPages } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { CallKeys, Discovery } from './contract.ts';

const directoryType = 'application/http-message-signatures-directory+json';

// Only reading: a database that is locked for writing does not matter.
const failures = { 429: tooManyPages, 503: null };

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

/** Adds the routes (docs/behavior.md#identity-5). */
export function callKeyRoutes(server: ApiServer, app: App, siteUrl: () => string): void {
  server.get('/.well-known/jwks.json', operations.getCallKeys, async (_request, reply) => {
    const keys = await publishedCallKeys(app);
    return cached(reply).send(callKeySet(keys));
  });
  server.get(
    '/.well-known/http-message-signatures-directory',
    operations.getSignatureDirectory,
    async (_request, reply) => {
      const keys = await publishedCallKeys(app);
      return cached(reply).type(directoryType).send(signatureDirectory(keys));
    },
  );
  server.get('/.well-known/openid-configuration', operations.getDiscovery, (_request, reply) => {
    cached(reply);
    return discovery(siteUrl());
  });
}

/** Lets others keep a document as long as keys allow. */
function cached<Reply extends Pick<FastifyReply, 'header'>>(reply: Reply): Reply {
  reply.header('cache-control', `public, max-age=${keysCachedSeconds}`);
  return reply;
}
