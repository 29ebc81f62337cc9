/** Routes of sessions: a browser signs in with a key or a code, and gets a cookie. */

import { checkCode, checkKey, startSession, type Grant } from '../../app/accounts/sign-in.ts';
import {
  currentSession,
  endSession,
  listSessions,
  moveSession,
  placesFor,
  placeSession,
  signOut,
} from '../../app/accounts/sessions.ts';
import type { PlacedSession } from '../../app/accounts/sessions.ts';
import type { AccessApp, Principal } from '../../app/app.ts';
import type { Session as Kept } from '../../domain/accounts/session.ts';
import { isoTime } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import { badRequest, describe, forOwners, unknown } from '../description/operation.ts';
import { senderOf } from '../http/auth.ts';
import { withoutBody } from '../http/body.ts';
import { Ok, pageRequest, PageQuery } from '../http/contract.ts';
import type { SessionCookie } from '../http/cookie.ts';
import type { ApiServer } from '../http/fastify.ts';
import { tellLeft, type RequestLimits } from '../http/limits/request-limits.ts';
import { otherPageFault } from '../http/same-origin.ts';
import {
  CurrentSession,
  SessionList,
  SessionMove,
  SessionPath,
  SessionResponse,
  SignIn,
} from './session-contract.ts';
import type { ListedSession, Session } from './session-contract.ts';

const noSession = {
  when: 'The request has a key, and no session.',
  example: 'a key has no session: it is signed in with each request',
};

const operations = describe(
  { tag: 'Sign-in', isExtension: true },
  {
    signIn: {
      summary: 'Sign in',
      description:
        'Starts a session and sets its cookie, which scripts of pages cannot read. Browsers send it with each request to this ' +
        'jobd. A change that a cookie signs in also needs the header `X-Jobd-Workspace` with the id of its workspace.',
      body: SignIn,
      response: { 201: SessionResponse },
      answer: 'The session. `Set-Cookie` has its secret.',
      isOpen: true,
      failures: {
        400: badRequest('give a key or a code, one of them'),
        401: {
          when: 'The key or the code is not valid.',
          example:
            'this link is not valid: it was used, or it expired: jobd open makes another one',
        },
        403: {
          when: 'The request comes from a page of another site.',
          example: 'this request comes from a page of another site, it is refused',
        },
      },
    },
    getSession: {
      summary: 'Get the session',
      description: 'Returns the session of the request, and the workspaces it may move to.',
      response: { 200: CurrentSession },
      answer: 'The session.',
      failures: { 403: noSession },
    },
    moveSession: {
      summary: 'Move the session to another workspace',
      description: 'From now on the session acts there. Only an owner’s session may move.',
      body: SessionMove,
      response: { 200: SessionResponse },
      answer: 'The session in its new workspace.',
      failures: {
        403: forOwners('move a session to another workspace'),
        404: unknown('workspace', 'The account has no such workspace.'),
      },
    },
    signOut: {
      summary: 'Sign out',
      description: 'Ends the session of the request, in all tabs, and removes its cookie.',
      response: { 200: Ok },
      answer: 'The session has ended.',
      failures: { 403: noSession },
    },
    listSessions: {
      summary: 'List sessions',
      description:
        'Returns the sessions that are valid now, newest first: for an owner’s session those of the workspace, else those of ' +
        'the same key.',
      querystring: PageQuery,
      response: { 200: SessionList },
      answer: 'A page of sessions.',
    },
    endSession: {
      summary: 'End a session',
      description:
        'Ends one of the listed sessions. Its next request gets 401. To end one’s own, sign out: that needs no `write`.',
      params: SessionPath,
      response: { 200: Ok },
      answer: 'The session has ended.',
      failures: { 404: unknown('session', 'There is no such session in the list.') },
    },
  },
);

interface Parts {
  limits: RequestLimits;
  cookie: SessionCookie;
}

/** Adds the route that needs neither key nor session. */
export function signInRoute(server: ApiServer, app: AccessApp, { limits, cookie }: Parts): void {
  server.post('/session', operations.signIn, async (request, reply) => {
    const fault = otherPageFault(request.headers);
    if (fault !== null) throw fault;
    const grant = await grantOf(app, request.body);
    if (grant.keyId !== null) {
      const asker = { actor: { type: 'key', id: grant.keyId }, keyId: null } as const;
      tellLeft(asker, await limits.count(asker), reply);
    }
    const { session, secret } = await startSession(app, grant, senderOf(request));
    const seconds = Math.floor((session.expiresAt - session.createdAt) / 1_000);
    reply.header('set-cookie', cookie.keep(secret, seconds));
    const answer = { session: shape(await placeSession(app, session)) };
    return reply.code(201).at('/session').send(answer);
  });
}

async function grantOf(app: AccessApp, { key, code }: SignIn): Promise<Grant> {
  if (key !== undefined && code === undefined) return await checkKey(app, key);
  if (code !== undefined && key === undefined) return await checkCode(app, code);
  throw invalidInput('give a key or a code, one of them');
}

/** Adds the routes of whoever is signed in. */
export function sessionRoutes(
  server: ApiServer,
  app: AccessApp,
  { cookie }: Pick<Parts, 'cookie'>,
): void {
  server.get('/session', operations.getSession, async ({ principal }) => ({
    session: shape(await currentSession(app, principal)),
    workspaces: await placesFor(app, principal),
  }));

  server.patch('/session', operations.moveSession, async ({ principal, body }) => ({
    session: shape(await moveSession(app, principal, body.workspaceId)),
  }));

  server.delete(
    '/session',
    { ...operations.signOut, ...withoutBody, config: { isForReaders: true } },
    async ({ principal }, reply) => {
      await signOut(app, principal);
      reply.header('set-cookie', cookie.clear);
      return { ok: true };
    },
  );

  server.get('/sessions', operations.listSessions, async ({ principal, query }) => {
    const { items, nextCursor } = await listSessions(app, principal, pageRequest(query));
    return { sessions: items.map((session) => listedShape(session, principal)), nextCursor };
  });

  server.delete('/sessions/:id', operations.endSession, async ({ principal, params }) => {
    await endSession(app, principal, params.id);
    return { ok: true };
  });
}

function shape({ id, workspace, permission, isOwner, expiresAt }: PlacedSession): Session {
  return { id, workspace, permission, isOwner, expiresAt: isoTime(expiresAt) };
}

function listedShape(session: Kept, { actor }: Principal): ListedSession {
  const { id, name, permission, isOwner, createdAt, lastSeenAt, expiresAt } = session;
  return {
    id,
    name,
    permission,
    isOwner,
    isCurrent: id === actor.id,
    createdAt: isoTime(createdAt),
    lastSeenAt: isoTime(lastSeenAt),
    expiresAt: isoTime(expiresAt),
  };
}
