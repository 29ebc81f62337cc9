/** The bearer key of a request: whose it is, what it permits and how often (docs/behavior.md#key-1). */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createAuthenticate } from '../../app/accounts/keys.ts';
import type { Authenticate } from '../../app/accounts/keys.ts';
import type { App, Principal } from '../../app/app.ts';
import type { Sender } from '../../domain/accounts/audit.ts';
import { JobdError } from '../../domain/errors.ts';
import { parseAddress } from '../../domain/targets/address.ts';
import { connectionOf } from './limits/connection.ts';
import { headerCount } from './headers.ts';
import type { RequestLimits } from './limits/request-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the request's key; undefined without a valid key. */
    asker: Principal | undefined;
    /** The same, on routes that require a key. */
    principal: Principal;
    /** Looks again whom the request stands for, without counting it: an answer may take hours. */
    askAgain: () => ReturnType<Authenticate>;
  }
}

/** Checks the key before anything else of a request is read, and counts the request. */
export function identify(server: FastifyInstance, app: App, limits: RequestLimits): void {
  const authenticate = createAuthenticate(app);
  server.decorateRequest('asker');
  server.decorateRequest('askAgain');
  server.addHook('onRequest', async (request) => {
    const found = await authenticate(presentedKey(request));
    if (found === undefined) limits.countAddress(request.raw);
    else {
      request.asker = { ...found, sender: senderOf(request) };
      request.askAgain = () => authenticate(presentedKey(request));
      app.noteKeyUse(found.actor.id);
      limits.countElsewhere(request.raw);
      limits.countKey(found.actor.id);
      connectionOf(request.socket)?.trust();
    }
  });
}

/** Requires a valid key, with `write` unless the request only reads. */
export function requireKey(server: FastifyInstance): void {
  server.decorateRequest('principal');
  server.addHook('onRequest', (request, _, done) => {
    const { asker } = request;
    if (asker === undefined) return done(refused());
    if (needsWrite(request) && asker.permission !== 'write') return done(mayOnlyRead());
    request.principal = asker;
    return done();
  });
}

/** Where a request came from. A proxy appends the address it was asked from to X-Forwarded-For. */
function senderOf({ socket, headers }: FastifyRequest): Sender {
  const forwarded = headers['x-forwarded-for'];
  const last = [forwarded].flat().join(',').split(',').at(-1)?.trim() ?? '';
  return {
    address: socket.remoteAddress ?? null,
    forwardedFor: parseAddress(last) === null ? null : last,
  };
}

function needsWrite({ method, routeOptions }: FastifyRequest): boolean {
  const isReading = method === 'GET' || method === 'HEAD';
  return !isReading || routeOptions.schema?.needsWrite === true;
}

/**
 * Reads the credentials of RFC 6750 section 2.1: the scheme in any letter case, one or more spaces (RFC 9110 section 11.4),
 * one token. With two Authorization headers neither is used: a proxy may have checked the other one.
 */
function presentedKey({ raw, headers }: FastifyRequest): string {
  if (headerCount(raw, 'authorization') !== 1) return '';
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

function mayOnlyRead(): JobdError {
  return new JobdError('forbidden', 'this key may only read, a key with write is needed');
}

function refused(): JobdError {
  return new JobdError(
    'unauthenticated',
    'a valid key is needed, send it as: Authorization: Bearer cp_…',
  );
}
