/** Headers of every request and answer. */

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { invalidInput } from '../../domain/errors.ts';

/** They stop browsers from using an answer in unintended ways. A page that needs more overrides them. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** Adds them to every answer, errors included. */
export function addSecurityHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (_, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}

/** How often a request has the header `name` (lower case). Node's parsed headers show only the first one. */
export function headerCount({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? '';
    if (field.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}

/** A host with an optional port, without the characters that end a host in a URL. May be empty. */
const hostPattern = /^[^\s/?#@\\,]*$/;

/**
 * Refuses requests of HTTP/1.1 without a Host header, and all requests with several or a malformed one (RFC 9112 section
 * 3.2). Programs that read different hosts from one request can be deceived. Node's own check answers without a body.
 */
export function requireHost(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) => {
    const fault = hostFault(request.raw);
    done(fault === null ? undefined : invalidInput(fault));
  });
}

function hostFault(request: IncomingMessage): string | null {
  const count = headerCount(request, 'host');
  if (count > 1) return `the request must have one Host header, got ${count}`;
  if (count === 0) {
    return request.httpVersion === '1.1' ? 'the request must have a Host header' : null;
  }
  return hostPattern.test(request.headers.host ?? '') ? null : 'the Host header is malformed';
}
