/** Runs that the end of another job's run starts (docs/behavior.md#chain-2). */

import type { AfterOn } from '../jobs/after-words.ts';
import type { RunStatus } from './run.ts';

/**
 * The conditions that the end of a run meets. An interrupted run has ended without an outcome, so it is only `finished`; a
 * missed one was never called, and starts nothing.
 */
export function conditionsMet(status: RunStatus): AfterOn[] {
  if (status === 'success' || status === 'failed') return [status, 'finished'];
  return status === 'interrupted' ? ['finished'] : [];
}
