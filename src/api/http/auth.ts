/** Who asks: the bearer key or the session cookie of a request (docs/behavior.md#key-1, docs/behavior.md#session-1). */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Admission, App, Identity, Principal } from '../../app/app.ts';
import type { Sender } from '../../domain/accounts/audit.ts';
import { unauthenticated } from '../../app/accounts/authenticate.ts';
import { JobdError } from '../../domain/errors.ts';
import { parseAddress } from '../../domain/targets/address.ts';
import type { SessionCookie } from './cookie.ts';
import { connectionOf } from './limits/connection.ts';
import { headerCount } from './headers.ts';
import { tellLeft, type RequestLimits } from './limits/request-limits.ts';
import { cookieFault } from './same-origin.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the request's key or session stands for; undefined without a valid one. */
    asker: Principal | undefined;
    /** Why a valid session does not count for this request. */
    askerFault: JobdError | undefined;
    /** The asker, on routes that require one. */
    principal: Principal;
    /** Looks again whom the request stands for, without counting it as a request: an answer may take hours. */
    askAgain: () => Promise<Identity | undefined>;
  }
  interface FastifyContextConfig {
    /** Keys that may only read are let in: it changes nothing but what is the asker's own, or looks itself (`requireWrite`). */
    isForReaders?: boolean;
    /** It answers everybody the same from memory: nobody is asked who they are, and nothing counts. */
    isForEverybody?: boolean;
  }
}

/** Checks key or cookie before anything else of a request is read, and counts the request. */
export function identify(
  server: FastifyInstance,
  { admissions, authenticate, noteUse }: Pick<App, 'admissions' | 'authenticate' | 'noteUse'>,
  { limits, cookie }: { limits: RequestLimits; cookie: SessionCookie },
): void {
  server.decorateRequest('asker');
  server.decorateRequest('askerFault');

  const findUser = async (
    request: FastifyRequest,
    how: { isUse: boolean },
  ): Promise<Identity | undefined> => {
    const secret = cookie.read(request.headers.cookie);
    const found = secret && (await authenticate.bySession(secret, how));
    if (!found) return undefined;
    const fault = cookieFault(request, found.workspaceId);
    if (fault === null) return found;
    request.askerFault = fault;
    return undefined;
  };

  server.decorateRequest('askAgain', function askAgain(this: FastifyRequest) {
    if (hasKey(this)) return authenticate.byKey(presentedKey(this));
    return findUser(this, { isUse: false });
  });

  /** A key is counted by the question that finds it. */
  const admit = async (request: FastifyRequest): Promise<Admission | undefined> => {
    if (hasKey(request)) return await admissions.ask(presentedKey(request));
    const asker = await findUser(request, { isUse: true });
    // What another page makes a browser send does not use up what the session may ask.
    return asker && { asker, left: await limits.count(asker) };
  };

  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isForEverybody === true) return;
    const admission = await admit(request);
    if (admission === undefined) return limits.countAddress(request.raw);
    const { asker, left } = admission;
    request.asker = { ...asker, sender: senderOf(request) };
    noteUse(asker.actor);
    limits.countElsewhere(request.raw);
    tellLeft(asker, left, reply);
    connectionOf(request.socket)?.trust();
  });
}

/** With an Authorization header the cookie is not looked at. */
function hasKey({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined;
}

/** Requires a valid key or session, with `write` unless the request only reads. */
export function requireAsker(server: FastifyInstance): void {
  server.decorateRequest('principal');
  server.addHook('onRequest', (request, _, done) => {
    const { asker, askerFault } = request;
    if (asker === undefined) return done(askerFault ?? unauthenticated());
    if (needsWrite(request)) requireWrite(asker);
    request.principal = asker;
    return done();
  });
}

/** Where a request came from. What a proxy that is not trusted says is kept as its claim. */
export function senderOf({ socket, headers }: FastifyRequest): Sender {
  const { peer, turn } = connectionOf(socket) ?? {};
  const address = turn?.client.address ?? socket.remoteAddress ?? null;
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined || peer?.isTrustedProxy === true) {
    return { address, forwardedFor: null };
  }
  const last = String(forwarded).split(',').at(-1)?.trim() ?? '';
  return { address, forwardedFor: parseAddress(last) === null ? null : last };
}

function needsWrite({ method, routeOptions }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return routeOptions.schema?.needsWrite === true;
  return !routeOptions.config.isForReaders;
}

/**
 * Reads the credentials of RFC 6750 section 2.1: the scheme in any letter case, one or more spaces (RFC 9110 section 11.4),
 * one token. With two Authorization headers neither is used: a proxy may have checked the other one.
 */
function presentedKey({ raw, headers }: FastifyRequest): string {
  if (headerCount(raw, 'authorization') !== 1) return '';
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Throws `forbidden` unless somebody may write. */
export function requireWrite({ actor, permission }: Principal): void {
  if (permission === 'write') return;
  throw new JobdError('forbidden', `this ${actor.type} may only read, a key with write is needed`);
}
