/** Who asks: the bearer key of a request (spec section 5). */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate } from '../app/keys.ts';
import type { App, Principal } from '../app/app.ts';
import { JobdError } from '../domain/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
}

/** Demands a valid key before anything else of a request is read; and `write` for all but GET. */
export function requireKey(server: FastifyInstance, app: App): void {
  server.decorateRequest('principal');
  server.addHook('onRequest', async (request) => {
    const principal = await authenticate(app, presentedKey(request));
    if (principal === undefined) throw refused();
    if (!isReading(request) && principal.permission !== 'write') {
      throw new JobdError('forbidden', 'this key may only read, a key with write is needed');
    }
    request.principal = principal;
  });
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function presentedKey(request: FastifyRequest): string {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  return match?.[1] ?? '';
}

function refused(): JobdError {
  return new JobdError(
    'unauthenticated',
    'a valid key is needed, send it as: Authorization: Bearer cp_…',
  );
}
