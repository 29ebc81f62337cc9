/** The longest a call may take by the plan, which may have become smaller since the job was made. */

import { plans } from '../domain/plan.ts';
import type { Terms } from '../store/expiry.ts';
import type { ClaimedRun } from './claimed.ts';

/** Caps the timeout of a run that is about to be called. */
export function capTimeout(run: ClaimedRun, terms: ReadonlyMap<string, Terms>): ClaimedRun {
  const { maxTimeoutSeconds } = plans[terms.get(run.workspaceId)?.plan ?? 'free'];
  if (run.request.timeoutSeconds <= maxTimeoutSeconds) return run;
  return { ...run, request: { ...run.request, timeoutSeconds: maxTimeoutSeconds } };
}
