/** Retention: which results of an account are kept (docs/behavior.md#result-6). Results are runs that are over, missed ones too. */

import { msPerDay } from '../clock.ts';
import type { Plan } from './plan.ts';

export interface Retention {
  /** Results that were due before this go, in epoch milliseconds. */
  agedBefore: number;
  /** So many of the oldest results go, those that go for their age among them. */
  surplus: number;
}

/** What a plan keeps of `results` results at `now`, in epoch milliseconds. */
export function retentionOf(
  plan: Pick<Plan, 'results' | 'retentionDays'>,
  { results, now }: { results: number; now: number },
): Retention {
  return {
    agedBefore: now - plan.retentionDays * msPerDay,
    surplus: Math.max(0, results - plan.results),
  };
}
