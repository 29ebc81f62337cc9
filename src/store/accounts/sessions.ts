/** Sessions of browsers, known by the SHA-256 of their secret only. A session that ended has no row. */

import { sql, type RawBuilder } from 'kysely';
import type { ActiveKey } from '../../domain/accounts/key.ts';
import { sessionTerms, type Session } from '../../domain/accounts/session.ts';
import type { Db } from '../database/store.ts';
import type { KeyUse } from './keys.ts';
import { statement, statementForEach, type Parameters } from '../database/statement.ts';

const columns = [
  'sessions.id',
  'workspace_id as workspaceId',
  'sessions.name',
  'permission',
  'is_owner as isOwner',
  'key_id as keyId',
  'sessions.created_at as createdAt',
  'last_seen_at as lastSeenAt',
  'sessions.expires_at as expiresAt',
] as const;

type Row = Omit<Session, 'isOwner'> & { isOwner: number };

function sessionOf<R extends Row>(row: R): Omit<R, 'isOwner'> & { isOwner: boolean } {
  return { ...row, isOwner: row.isOwner === 1 };
}

const { owner, usual } = sessionTerms;

/** `hasEnded` of domain/accounts/session.ts, as SQL. */
function isLive(now: number | RawBuilder<number>): RawBuilder<boolean> {
  const unusedMs = sql`case is_owner when 1 then ${sql.lit(owner.unusedMs)} else ${sql.lit(usual.unusedMs)} end`;
  return sql<boolean>`sessions.expires_at > ${now} and last_seen_at + ${unusedMs} > ${now}`;
}

/** Keeps a new session. */
export async function insertSession(db: Db, session: Session, sha256: string): Promise<void> {
  await db
    .insertInto('sessions')
    .values({
      id: session.id,
      workspace_id: session.workspaceId,
      sha256,
      name: session.name,
      permission: session.permission,
      is_owner: session.isOwner ? 1 : 0,
      key_id: session.keyId,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      expires_at: session.expiresAt,
    })
    .execute();
}

/** What a request needs to know about its session. */
export interface ActiveSession extends Session {
  /** When the account that owns the workspace expires, in epoch milliseconds; null if never. */
  accountExpiresAt: number | null;
  /** As of keys. */
  hasWindows: ActiveKey['hasWindows'];
}

const activeSession = statement((db: Db, of: Parameters<{ sha256: string; now: number }>) =>
  db
    .selectFrom('sessions')
    .innerJoin('workspaces', 'workspaces.id', 'sessions.workspace_id')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .select([...columns, 'accounts.expires_at as accountExpiresAt'])
    .select((row) => row('windows', 'is not', null).as('hasWindows'))
    .where('sha256', '=', of('sha256'))
    .where('deleted_at', 'is', null)
    .where(isLive(of('now')))
    .compile(),
);

/** The session with this SHA-256 that is valid at `now`, or undefined. */
export async function findActiveSession(
  db: Db,
  sha256: string,
  now: number,
): Promise<ActiveSession | undefined> {
  const [row] = await activeSession(db, { sha256, now });
  return row === undefined ? undefined : sessionOf(row);
}

/** The session with this id that is valid at `now`, or undefined. */
export async function findSession(db: Db, id: string, now: number): Promise<Session | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select(columns)
    .where('id', '=', id)
    .where(isLive(now))
    .executeTakeFirst();
  return row === undefined ? undefined : sessionOf(row);
}

/** Whose sessions to list: those of a workspace, or of a key. */
export type SessionsOf = { workspaceId: string } | { keyId: string };

/** Valid sessions with ids below `before`, newest first. */
export async function listSessions(
  db: Db,
  of: SessionsOf,
  { now, before, limit }: { now: number; before: string | null; limit: number },
): Promise<Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(columns)
    .where((session) =>
      'keyId' in of
        ? session('key_id', '=', of.keyId)
        : session('workspace_id', '=', of.workspaceId),
    )
    .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
    .where(isLive(now))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(sessionOf);
}

/** Valid sessions of all workspaces, with the names of these, oldest first. */
export async function listAllSessions(
  db: Db,
  now: number,
): Promise<(Session & { workspace: string })[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('workspaces', 'workspaces.id', 'sessions.workspace_id')
    .select([...columns, 'workspaces.name as workspace'])
    .where('deleted_at', 'is', null)
    .where(isLive(now))
    .orderBy('sessions.id')
    .execute();
  return rows.map(sessionOf);
}

/** The sessions of a key, or those of codes in a workspace, beyond the `keep` ones that were used last. */
export async function findSurplusSessions(
  tx: Db,
  { keyId, workspaceId }: Pick<Session, 'keyId' | 'workspaceId'>,
  keep: number,
): Promise<{ id: string; name: string; workspaceId: string }[]> {
  const all = tx
    .selectFrom('sessions')
    .select(['id', 'name', 'workspace_id as workspaceId'])
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc');
  const ofSame =
    keyId === null
      ? all.where('workspace_id', '=', workspaceId).where('key_id', 'is', null)
      : all.where('key_id', '=', keyId);
  return (await ofSame.execute()).slice(keep);
}

/** Ends a session. False if there is none with this id. */
export async function deleteSession(tx: Db, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Ends all sessions that were started with a key, and returns them. */
export async function deleteSessionsOfKey(
  tx: Db,
  keyId: string,
): Promise<{ id: string; name: string }[]> {
  return await tx
    .deleteFrom('sessions')
    .where('key_id', '=', keyId)
    .returning(['id', 'name'])
    .execute();
}

/** Lets a session act in another workspace from now on. */
export async function moveSession(tx: Db, id: string, workspaceId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ workspace_id: workspaceId })
    .where('id', '=', id)
    .execute();
}

/** Keeps when sessions were last used, in epoch milliseconds. */
export const recordSessionUses = statementForEach((db: Db, of: Parameters<KeyUse>) =>
  db
    .updateTable('sessions')
    .set({ last_seen_at: of('at') })
    .where('id', '=', of('id'))
    .compile(),
);
