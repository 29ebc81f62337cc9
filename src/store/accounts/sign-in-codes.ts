/** Codes that start a session once, known by their SHA-256 only. A code that was used has no row. */

import type { Permission } from '../../domain/accounts/key.ts';
import type { Db } from '../database/store.ts';

/** What a code lets its holder do. */
export interface SignInCode {
  workspaceId: string;
  permission: Permission;
  isOwner: boolean;
  /** In epoch milliseconds. */
  expiresAt: number;
}

/** Keeps a new code. */
export async function insertCode(db: Db, code: SignInCode, sha256: string): Promise<void> {
  await db
    .insertInto('sign_in_codes')
    .values({
      sha256,
      workspace_id: code.workspaceId,
      permission: code.permission,
      is_owner: code.isOwner ? 1 : 0,
      expires_at: code.expiresAt,
    })
    .execute();
}

/** The code with this SHA-256 that is valid at `now`, or undefined. */
export async function findCode(
  db: Db,
  sha256: string,
  now: number,
): Promise<SignInCode | undefined> {
  const row = await db
    .selectFrom('sign_in_codes')
    .innerJoin('workspaces', 'workspaces.id', 'sign_in_codes.workspace_id')
    .select(['workspace_id as workspaceId', 'permission', 'is_owner', 'expires_at as expiresAt'])
    .where('sha256', '=', sha256)
    .where('expires_at', '>', now)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { is_owner, ...code } = row;
  return { ...code, isOwner: is_owner === 1 };
}

/** Uses a code up. False if it is gone: somebody else was faster. */
export async function takeCode(tx: Db, sha256: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('sign_in_codes')
    .where('sha256', '=', sha256)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}
