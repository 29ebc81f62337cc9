/** Plans: what an account may have (docs/behavior.md#plans). A limit that does not exist is null. */

export const planNames = ['free', 'pro', 'business', 'self-hosted'] as const;
export type PlanName = (typeof planNames)[number];

export interface Plan {
  name: PlanName;
  /** Jobs and monitors together, paused ones too; deleted ones do not count. */
  jobs: number | null;
  /** Seconds between two due times of one schedule, at least. */
  minIntervalSeconds: number;
  /** Seconds that one attempt of a call may take, at most. */
  maxTimeoutSeconds: number;
  /** Results kept, of all jobs of the account together. */
  results: number;
  /** Days that a result is kept. */
  retentionDays: number;
}

/** Every plan. `self-hosted` is what the default account has. */
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

/** Seconds an attempt may take where nobody says: the smaller of 30 and what the plan allows. */
export function defaultTimeoutSeconds({ maxTimeoutSeconds }: Plan): number {
  return Math.min(30, maxTimeoutSeconds);
}
