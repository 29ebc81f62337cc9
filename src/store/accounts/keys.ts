/** API keys, known by their SHA-256 only. */

import type { ActiveKey, Key } from '../../domain/accounts/key.ts';
import type { Db } from '../database/store.ts';
import { statement, statementForEach, type Parameters } from '../database/statement.ts';

const columns = [
  'keys.id',
  'workspace_id as workspaceId',
  'keys.name',
  'permission',
  'keys.created_at as createdAt',
  'last_used_at as lastUsedAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
] as const;

/** Keeps a new key. */
export async function insertKey(db: Db, key: Key, sha256: string): Promise<void> {
  await db
    .insertInto('keys')
    .values({
      id: key.id,
      workspace_id: key.workspaceId,
      name: key.name,
      permission: key.permission,
      sha256,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
    })
    .execute();
}

const activeKey = statement((db: Db, of: Parameters<{ sha256: string; now: number }>) =>
  db
    .selectFrom('keys')
    .innerJoin('workspaces', 'workspaces.id', 'keys.workspace_id')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .select([
      'keys.id',
      'keys.name',
      'workspace_id as workspaceId',
      'permission',
      'accounts.expires_at as accountExpiresAt',
      'keys.expires_at as expiresAt',
    ])
    .select((row) => row('windows', 'is not', null).as('hasWindows'))
    .where('sha256', '=', of('sha256'))
    .where('revoked_at', 'is', null)
    .where('deleted_at', 'is', null)
    .where((key) =>
      key.or([key('keys.expires_at', 'is', null), key('keys.expires_at', '>', of('now'))]),
    )
    .compile(),
);

/** The key with this SHA-256 that is valid at `now`, or undefined. */
export async function findActiveKey(
  db: Db,
  sha256: string,
  now: number,
): Promise<ActiveKey | undefined> {
  const [key] = await activeKey(db, { sha256, now });
  return key;
}

/** The id of a key of a workspace that has this name and is valid at `now`, or undefined. */
export async function findActiveKeyNamed(
  db: Db,
  { workspaceId, name, now }: { workspaceId: string; name: string; now: number },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('keys')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', now)]))
    .orderBy('id')
    .executeTakeFirst();
  return row?.id;
}

/** Every key with the name of its workspace, revoked and expired keys too, but none of deleted workspaces. Oldest first. */
export async function listKeys(db: Db): Promise<(Key & { workspace: string })[]> {
  return await db
    .selectFrom('keys')
    .innerJoin('workspaces', 'workspaces.id', 'keys.workspace_id')
    .select([...columns, 'workspaces.name as workspace'])
    .where('deleted_at', 'is', null)
    .orderBy('keys.id')
    .execute();
}

/** The keys of a workspace with ids below `before`, revoked and expired ones too. Newest first. */
export async function listKeysOf(
  db: Db,
  workspaceId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<Key[]> {
  return await db
    .selectFrom('keys')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** A key, revoked or not, or undefined. */
export async function findKey(db: Db, id: string): Promise<Key | undefined> {
  return await db.selectFrom('keys').select(columns).where('id', '=', id).executeTakeFirst();
}

/** Revokes a key. False if there is no such key, or it is already revoked. */
export async function revokeKey(db: Db, id: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** When a key was last used, in epoch milliseconds. */
export interface KeyUse {
  id: string;
  at: number;
}

/** Keeps when keys were last used. */
export const recordKeyUses = statementForEach((db: Db, of: Parameters<KeyUse>) =>
  db
    .updateTable('keys')
    .set({ last_used_at: of('at') })
    .where('id', '=', of('id'))
    .compile(),
);
