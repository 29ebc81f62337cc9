/** The longest a call may take by the plan, which may have become smaller since the job was made. */

import { plans } from '../domain/plan.ts';
import { findPlans } from '../store/accounts.ts';
import type { Db } from '../store/open.ts';
import type { ClaimedRun } from './claimed.ts';

/** Caps the timeouts of runs that are about to be called. */
export async function capTimeouts(tx: Db, runs: readonly ClaimedRun[]): Promise<ClaimedRun[]> {
  if (runs.length === 0) return [];
  const planNames = await findPlans(tx, [...new Set(runs.map(({ workspaceId }) => workspaceId))]);
  return runs.map((run) => {
    const { maxTimeoutSeconds } = plans[planNames.get(run.workspaceId) ?? 'free'];
    if (run.request.timeoutSeconds <= maxTimeoutSeconds) return run;
    return { ...run, request: { ...run.request, timeoutSeconds: maxTimeoutSeconds } };
  });
}
