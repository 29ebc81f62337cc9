/** Headers that keep a browser from doing anything with an answer but what it was asked for. */

import type { FastifyInstance } from 'fastify';

/** On every answer, errors included. A page that needs more says so itself. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** Sets them before anything else happens to a request. */
export function addSecurityHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (_, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}
