/**
 * Pages of other origins may ask only where the operator named their origin (Fetch standard, section
 * 3.3 "CORS protocol"). Keys travel in a header, so the mode with credentials (cookies) is never offered.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';

const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
  /** Seconds that a browser may keep this answer, instead of asking before each request. */
  'access-control-max-age': '600',
} as const;

/** Lets pages of exactly these origins ask; without any, nothing is answered differently. */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  server.addHook('onRequest', (request, reply, done) => {
    // Also where the origin is not allowed: a cache must not give that answer to one that is.
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', 'Retry-After');
    if (!isPreflight(request)) return done();
    // A browser asks this without a key; there is nothing in it that needs one.
    return void reply.code(204).headers(preflightHeaders).send();
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
