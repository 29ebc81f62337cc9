/** Whom a key stands for, what they may do and what they have used. */

import { trialEndsAt } from '../../domain/accounts/account.ts';
import type { Permission } from '../../domain/accounts/key.ts';
import { plans, type Plan } from '../../domain/accounts/plan.ts';
import { countResults, usageOf } from '../../store/accounts/usage.ts';
import { findWorkspaceName } from '../../store/accounts/workspaces.ts';
import { requireAccount } from './account-limits.ts';
import type { Ground, Principal } from '../app.ts';

export interface Me {
  workspace: { id: string; name: string };
  permission: Permission;
  plan: Plan;
  /** Of the whole account, not only of the workspace. */
  usage: { jobs: number; monitors: number; results: number };
  /** From then on nothing runs and nothing can be edited, in epoch milliseconds; null if never. */
  expiresAt: number | null;
  /** The same, if it is a trial that ends then; else null. */
  trialEndsAt: number | null;
}

/** For an account with more jobs (its plan has no limit) usage is counted at most once a minute. */
const manyJobs = 1_000;
const goodForMs = 60_000;

/** Makes a function that returns the workspace, permission, plan and usage of a principal. */
export function createMe({ store, clock }: Ground) {
  /** The last counts of accounts with many jobs: counting reads all of them. */
  const counted = new Map<string, { at: number; usage: Me['usage'] }>();

  async function usageNow(accountId: string): Promise<Me['usage']> {
    const last = counted.get(accountId);
    const at = clock.monotonicMs();
    if (last !== undefined && at - last.at < goodForMs) return last.usage;
    const results = await countResults(store.db, accountId);
    const usage = { ...(await usageOf(store.db, accountId)), results };
    if (usage.jobs > manyJobs) counted.set(accountId, { at, usage });
    else counted.delete(accountId);
    return usage;
  }

  return async (principal: Principal): Promise<Me> => {
    const { workspaceId, permission } = principal;
    const account = await requireAccount(store.db, principal);
    return {
      workspace: { id: workspaceId, name: (await findWorkspaceName(store.db, workspaceId)) ?? '' },
      permission,
      plan: plans[account.plan],
      usage: await usageNow(account.id),
      expiresAt: account.expiresAt,
      trialEndsAt: trialEndsAt(account),
    };
  };
}
