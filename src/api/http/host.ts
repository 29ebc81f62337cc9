/**
 * The Host header as RFC 9112 section 3.2 demands it. Node checks only that there is one, and then
 * answers without a body; where two programs read different hosts, one of them was deceived.
 */

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { invalidInput } from '../../domain/errors.ts';
import { headerCount } from './header-count.ts';

/** A host and perhaps a port: nothing of what ends one in a URL. It may be empty. */
const hostPattern = /^[^\s/?#@\\,]*$/;

/** Refuses requests of HTTP/1.1 without a Host header, and all with several or a malformed one. */
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
