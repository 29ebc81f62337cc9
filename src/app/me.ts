/** Whom a key stands for, and what they may do and have used. */

import { trialEndsAt } from '../domain/account.ts';
import type { Permission } from '../domain/key.ts';
import { plans } from '../domain/plan.ts';
import type { Plan } from '../domain/plan.ts';
import { countResults, usageOf } from '../store/usage.ts';
import { findWorkspaceName } from '../store/workspaces.ts';
import { requireAccount } from './account-limits.ts';
import type { App, Principal } from './app.ts';

export interface Me {
  workspace: { id: string; name: string };
  permission: Permission;
  plan: Plan;
  /** Of the whole account, not of the workspace alone. */
  usage: { jobs: number; monitors: number; results: number };
  /** Epoch milliseconds; null without a trial. */
  trialEndsAt: number | null;
}

/** Tells a key's workspace, permission, plan and usage. */
export async function getMe({ store }: Pick<App, 'store'>, principal: Principal): Promise<Me> {
  const { workspaceId, permission } = principal;
  const account = await requireAccount(store.db, principal);
  const name = (await findWorkspaceName(store.db, workspaceId)) ?? '';
  const usage = await usageOf(store.db, account.id);
  const results = await countResults(store.db, account.id);
  return {
    workspace: { id: workspaceId, name },
    permission,
    plan: plans[account.plan],
    usage: { ...usage, results },
    trialEndsAt: trialEndsAt(account),
  };
}
