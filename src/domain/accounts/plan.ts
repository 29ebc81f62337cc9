/** Plans: what an account may have and what is kept for it (docs/behavior.md#plans). Null means no limit. */

import { msPerDay } from '../clock.ts';
import { jobDefaults } from '../jobs/job.ts';

export const planNames = ['free', 'pro', 'business', 'self-hosted'] as const;
export type PlanName = (typeof planNames)[number];

export interface Plan {
  name: PlanName;
  /** Jobs and monitors together, paused ones too; deleted ones do not count. */
  jobs: number | null;
  /** Fewest seconds between two due times of one schedule. */
  minIntervalSeconds: number;
  /** Most seconds that one attempt of a call may take. */
  maxTimeoutSeconds: number;
  /** Most results kept, of all jobs of the account together. */
  results: number;
  /** Days that a result is kept. */
  retentionDays: number;
}

/** Every plan. The default account has `self-hosted`. */
export const plans: Readonly<Record<PlanName, Plan>> = {
  free: {
    name: 'free',
    jobs: 10,
    minIntervalSeconds: 300,
    maxTimeoutSeconds: 10,
    results: 1_000,
    retentionDays: 7,
  },
  pro: {
    name: 'pro',
    jobs: 100,
    minIntervalSeconds: 60,
    maxTimeoutSeconds: 30,
    results: 10_000,
    retentionDays: 90,
  },
  business: {
    name: 'business',
    jobs: 1_000,
    minIntervalSeconds: 60,
    maxTimeoutSeconds: 60,
    results: 100_000,
    retentionDays: 365,
  },
  'self-hosted': {
    name: 'self-hosted',
    jobs: null,
    minIntervalSeconds: 60,
    maxTimeoutSeconds: 60,
    results: 1_000_000,
    retentionDays: 365,
  },
};

/** Seconds an attempt may take where nobody says: the general default, or what the plan allows if that is less. */
export function defaultTimeoutSeconds({ maxTimeoutSeconds }: Plan): number {
  return Math.min(jobDefaults.timeoutSeconds, maxTimeoutSeconds);
}

/** What retention removes from an account (docs/behavior.md#result-6). Results are runs that are over, missed ones too. */
export interface Retention {
  /** Results that were due before this are removed, in epoch milliseconds. */
  agedBefore: number;
  /** How many of the oldest results are removed, including those that are too old. */
  surplus: number;
}

/** The part of what a plan keeps that a history takes: by its number of results, or by the age of the oldest. */
export function usedUp(
  plan: Pick<Plan, 'results' | 'retentionDays'>,
  { results, oldestAt, now }: { results: number; oldestAt: number; now: number },
): number {
  return Math.max(results / plan.results, (now - oldestAt) / (plan.retentionDays * msPerDay));
}

/** What a plan keeps when only this share of it can be kept. */
export function shareOf(
  { results, retentionDays }: Pick<Plan, 'results' | 'retentionDays'>,
  share: number,
): Pick<Plan, 'results' | 'retentionDays'> {
  return { results: Math.floor(results * share), retentionDays: retentionDays * share };
}

/** What a plan does not keep of `results` results at `now`, in epoch milliseconds. */
export function retentionOf(
  plan: Pick<Plan, 'results' | 'retentionDays'>,
  { results, now }: { results: number; now: number },
): Retention {
  return {
    agedBefore: now - plan.retentionDays * msPerDay,
    surplus: Math.max(0, results - plan.results),
  };
}
