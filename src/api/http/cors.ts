/**
 * CORS (Fetch standard, section 3.3): web pages can use the API only if the operator allows their origin. Keys are sent in a
 * header, so the mode with credentials (cookies) is never allowed.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';

const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
  /** How long a browser may cache this answer, in seconds. */
  'access-control-max-age': '600',
} as const;

/** Headers that pages may read, beside those that the standard allows. */
const exposed = 'Location, RateLimit, RateLimit-Policy, Retry-After';

/** Allows exactly these origins. Without any, no answer changes. */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  server.addHook('onRequest', (request, reply, done) => {
    // Also for other origins: a cache must not give their answer to an allowed one.
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', exposed);
    if (!isPreflight(request)) return done();
    // Browsers send preflights without a key. The answer reveals nothing.
    return void reply.code(204).headers(preflightHeaders).send();
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
