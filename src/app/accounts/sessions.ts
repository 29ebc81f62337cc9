/** Sessions that exist: shown, moved to another workspace, ended. */

import type { Workspace } from '../../domain/accounts/account.ts';
import type { Session } from '../../domain/accounts/session.ts';
import { got, invalidInput, JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import * as sessions from '../../store/accounts/sessions.ts';
import type { SessionsOf } from '../../store/accounts/sessions.ts';
import { findAccountOf } from '../../store/accounts/accounts.ts';
import { findWorkspaceName, listWorkspacesOf } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/database/store.ts';
import type { AccessApp, Ground, Principal } from '../app.ts';
import { changeBy, commandIn, type CommandParts, type NoteChange } from '../change.ts';
import { idPage, type Page, type PageRequest } from '../page.ts';

/** A workspace as a session names it. */
export type Place = Pick<Workspace, 'id' | 'name'>;

/** A session and the workspace it acts in. */
export type PlacedSession = Session & { workspace: Place };

/** Most workspaces that a session lists. */
const mostWorkspaces = 100;

/** Throws `forbidden` unless a session of the owner asks. `what` is what only the owner may do. */
export function requireOwner({ isOwner }: Principal, what: string): void {
  if (isOwner) return;
  const sentence = `only the owner may ${what}: sign in with the link that jobd open prints`;
  throw new JobdError('forbidden', sentence);
}

/** A session with its workspace. */
export async function placeSession(
  { store }: Pick<Ground, 'store'>,
  session: Session,
): Promise<PlacedSession> {
  const { workspaceId: id } = session;
  return { ...session, workspace: { id, name: (await findWorkspaceName(store.db, id)) ?? '' } };
}

/** The session of a request. Throws `forbidden` for a key. */
export async function currentSession(app: AccessApp, principal: Principal): Promise<PlacedSession> {
  return await placeSession(app, await requireSession(app, app.store.db, principal));
}

/** The workspaces that the session of a request may move to: the oldest ones of the account, none unless it is the owner's. */
export async function placesFor(
  { store }: Pick<Ground, 'store'>,
  principal: Principal,
): Promise<Place[]> {
  if (!principal.isOwner) return [];
  const account = await findAccountOf(store.db, principal.workspaceId);
  return account === undefined ? [] : await listWorkspacesOf(store.db, account.id, mostWorkspaces);
}

/** Lets an owner's session act in another workspace of its account. Throws `forbidden`, `invalid_input` or `not_found`. */
export async function moveSession(
  app: AccessApp,
  principal: Principal,
  workspaceId: string,
): Promise<PlacedSession> {
  requireOwner(principal, 'move a session to another workspace');
  if (!isId(workspaceId)) throw invalidInput(`workspaceId must be an id, ${got(workspaceId)}`);
  // It begins to act there: the entry belongs to the trail of that workspace.
  await changeBy(app, { ...principal, workspaceId }, async (tx, note) => {
    const session = await requireSession(app, tx, principal);
    const account = await findAccountOf(tx, principal.workspaceId);
    const there = await findAccountOf(tx, workspaceId);
    if (account === undefined || there?.id !== account.id) {
      throw new JobdError('not_found', `there is no workspace with id ${workspaceId}`);
    }
    if (workspaceId === principal.workspaceId) return;
    await sessions.moveSession(tx, session.id, workspaceId);
    note({ action: 'session.start', subject: session });
  });
  return await currentSession(app, principal);
}

/** Sessions, newest first: those of the workspace for an owner, else those of the same key. */
export async function listSessions(
  app: AccessApp,
  principal: Principal,
  request: PageRequest,
): Promise<Page<Session>> {
  const { store, clock } = app;
  const of = await reachOf(app, store.db, principal);
  return await idPage('sessions', { ...request, now: clock.now() }, async (page) =>
    'session' in of ? [of.session] : await sessions.listSessions(store.db, of, page),
  );
}

/** Ends a session that `listSessions` shows. Throws `not_found`. */
export async function endSession(app: AccessApp, principal: Principal, id: string): Promise<void> {
  const { clock } = app;
  await changeBy(app, principal, async (tx, note) => {
    const session = await sessions.findSession(tx, id, clock.now());
    const of = await reachOf(app, tx, principal);
    if (session === undefined || !reaches(of, session)) {
      throw new JobdError('not_found', `there is no session with id ${id}`);
    }
    await endIn(tx, session, note);
  });
}

/** Ends a session in a transaction. False if it has ended meanwhile. */
export async function endIn(
  tx: Db,
  session: Pick<Session, 'id' | 'name'>,
  note: NoteChange,
): Promise<boolean> {
  const isEnded = await sessions.deleteSession(tx, session.id);
  if (isEnded) note({ action: 'session.end', subject: session });
  return isEnded;
}

/** Every valid session with the name of its workspace, for a command. Oldest first. */
export async function listAllSessions({ store, clock }: CommandParts) {
  return await sessions.listAllSessions(store.db, clock.now());
}

/** Ends a session of any workspace, for a command. Throws `not_found`. */
export async function endAnySession(parts: CommandParts, id: string): Promise<void> {
  const session = await sessions.findSession(parts.store.db, id, parts.clock.now());
  if (session === undefined || !(await end(parts, session))) {
    throw new JobdError('not_found', `there is no session with id ${id}`);
  }
}

/** Ends every session, for a command. Returns how many. */
export async function endAllSessions(parts: CommandParts): Promise<number> {
  let ended = 0;
  for (const session of await listAllSessions(parts)) {
    if (await end(parts, session)) ended += 1;
  }
  return ended;
}

/** False if it has ended meanwhile. */
async function end(parts: CommandParts, session: Session): Promise<boolean> {
  const author = commandIn(parts, session.workspaceId);
  return await changeBy(parts, author, (tx, note) => endIn(tx, session, note));
}

/** Ends the session of the request. Throws `forbidden` for a key. */
export async function signOut(app: AccessApp, principal: Principal): Promise<void> {
  await changeBy(app, principal, async (tx, note) => {
    await endIn(tx, await requireSession(app, tx, principal), note);
  });
}

/** The sessions that a principal sees. One that was started with a code, and is not the owner's, sees itself. */
type Reach = SessionsOf | { session: Session };

async function reachOf(app: AccessApp, db: Db, principal: Principal): Promise<Reach> {
  const { actor, isOwner, workspaceId } = principal;
  if (isOwner) return { workspaceId };
  if (actor.type === 'key') return { keyId: actor.id };
  const session = await requireSession(app, db, principal);
  return session.keyId === null ? { session } : { keyId: session.keyId };
}

function reaches(of: Reach, session: Session): boolean {
  if ('session' in of) return of.session.id === session.id;
  if ('keyId' in of) return of.keyId === session.keyId;
  return of.workspaceId === session.workspaceId;
}

async function requireSession({ clock }: Ground, db: Db, { actor }: Principal): Promise<Session> {
  if (actor.type !== 'session') {
    throw new JobdError('forbidden', 'a key has no session: it is signed in with each request');
  }
  const session = await sessions.findSession(db, actor.id, clock.now());
  if (session !== undefined) return session;
  throw new JobdError('unauthenticated', 'this session has ended: sign in again');
}
