/** Workspaces of a running daemon, created in its store. */

import { createAccount } from '../../../src/app/accounts/accounts.ts';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { openTestLocal } from '../running/local.ts';
import { newId } from '../../../src/domain/id.ts';
import type { Permission } from '../../../src/domain/accounts/key.ts';
import type { PlanName } from '../../../src/domain/accounts/plan.ts';

export interface TestWorkspace {
  id: string;
  /** The name of its account, and its own. */
  account: string;
  /** Creates a key of this workspace. */
  newKey: (permission: Permission) => Promise<string>;
}

/** Creates an account with one workspace of the same name. */
export async function addWorkspace(
  dataDir: string,
  plan: PlanName = 'self-hosted',
): Promise<TestWorkspace> {
  await using local = await openTestLocal(dataDir);
  const name = newId(local.clock.now());
  await createAccount(local, { name, plan, trialDays: null });
  const { id } = await createWorkspace(local, { name, account: name });
  return {
    id,
    account: name,
    async newKey(permission) {
      await using reopened = await openTestLocal(dataDir);
      const made = await createKey(reopened, { workspace: name, permission, name: '' });
      return made.secret;
    },
  };
}
