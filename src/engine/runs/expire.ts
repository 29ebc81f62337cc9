/**
 * Expire: a due job of an expired account is not called, but loses its due time. The claim does this with the jobs it
 * finds, so an expiry itself writes nothing (docs/decisions/0005-due-times.md#a-job-of-an-expired-account-loses-its-due-time-when-it-is-found-due).
 */

import { hasExpired } from '../../domain/accounts/account.ts';
import type { DueJob } from '../../store/jobs/jobs.ts';
import { findDueJobs, type ClaimableJob, type ClaimBounds } from '../../store/runs/claims.ts';
import { findTerms, stopJobs, type Terms } from '../../store/accounts/expiry.ts';
import type { Db } from '../../store/database/store.ts';

/** Jobs read at once when some of them are to be stopped, so that these delay others for some milliseconds only. */
const jobsPerStop = 500;

/** Due jobs, with the terms of their accounts by workspace id. */
export interface Found {
  due: ClaimableJob[];
  terms: ReadonlyMap<string, Terms>;
  /** Whether any job was due, callable or not. */
  isAny: boolean;
  /** Jobs of expired accounts: they lost their due times. */
  stopped: StoppedJob[];
  /** Accounts whose schedules stop now. */
  expired: number;
}

/** A job that is not due any more. */
export type StoppedJob = Pick<DueJob, 'id' | 'workspaceId'>;

/** Finds due jobs, and stops those of expired accounts. */
export async function findCallable(tx: Db, now: number, bounds: ClaimBounds): Promise<Found> {
  const first = await findAll(tx, now, bounds);
  if (first.expired.length === 0)
    return { ...first, stopped: [], expired: 0, isAny: first.due.length > 0 };
  const limit = Math.max(bounds.limit, jobsPerStop);
  const { due, terms, expired } = await findAll(tx, now, { ...bounds, limit });
  const accountIds = new Set<string>();
  for (const { job } of expired) {
    const its = terms.get(job.workspaceId);
    if (its !== undefined && its.schedules !== 'off') accountIds.add(its.accountId);
  }
  const jobs = expired.map(({ job }) => job);
  await stopJobs(tx, jobs, { accountIds: [...accountIds], now });
  return { due, terms, stopped: jobs, expired: accountIds.size, isAny: true };
}

async function findAll(tx: Db, now: number, bounds: ClaimBounds) {
  const found = await findDueJobs(tx, now, bounds);
  const terms = await termsOf(tx, found);
  const { due = [], expired = [] } = Object.groupBy(found, ({ job }) => {
    const its = terms.get(job.workspaceId);
    return its !== undefined && hasExpired(its, now) ? 'expired' : 'due';
  });
  return { due, terms, expired };
}

/** The terms of the accounts of these jobs, by workspace id. */
export async function termsOf(
  tx: Db,
  found: readonly ClaimableJob[],
): Promise<ReadonlyMap<string, Terms>> {
  if (found.length === 0) return new Map();
  return await findTerms(tx, [...new Set(found.map(({ job }) => job.workspaceId))]);
}
