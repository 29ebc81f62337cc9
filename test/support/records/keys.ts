/** Keys other than the one with all permissions. */

import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { openTestLocal } from '../running/local.ts';
import type { TestDaemon } from '../running/daemon.ts';

/** A key that was revoked, made in the daemon's store. */
export async function revokedKey({ dataDir }: TestDaemon): Promise<string> {
  await using local = await openTestLocal(dataDir);
  const { key, secret } = await createKey(local, {
    workspace: 'default',
    permission: 'write',
    name: 'revoked',
  });
  await revokeKey(local, key.id);
  return secret;
}

/** A key with write permission of a second workspace, which is created for it. */
export async function otherWorkspaceKey({ dataDir }: TestDaemon): Promise<string> {
  await using local = await openTestLocal(dataDir);
  await createWorkspace(local, { name: 'other', account: 'default' });
  const made = await createKey(local, { workspace: 'other', permission: 'write', name: 'other' });
  return made.secret;
}

/** The id of the workspace of the daemon's first key. */
export async function defaultWorkspaceId({ dataDir }: TestDaemon): Promise<string> {
  await using local = await openTestLocal(dataDir);
  const row = await local.store.db
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', 'default')
    .executeTakeFirstOrThrow();
  return row.id;
}
