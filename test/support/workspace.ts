/** Workspaces of a running daemon, made in its store. */

import { createKey } from '../../src/app/keys.ts';
import { openLocal } from '../../src/daemon.ts';
import { newId } from '../../src/domain/id.ts';
import type { Permission } from '../../src/domain/key.ts';

export interface TestWorkspace {
  id: string;
  /** Makes a key of this workspace. */
  newKey: (permission: Permission) => Promise<string>;
}

/** Makes a workspace, whose name is its id. */
export async function addWorkspace(dataDir: string): Promise<TestWorkspace> {
  await using local = await openLocal(dataDir);
  const now = local.clock.now();
  const id = newId(now);
  await local.store.db.insertInto('workspaces').values({ id, name: id, created_at: now }).execute();
  return {
    id,
    async newKey(permission) {
      await using reopened = await openLocal(dataDir);
      const made = await createKey(reopened, { workspace: id, permission, name: '' });
      return made.secret;
    },
  };
}
