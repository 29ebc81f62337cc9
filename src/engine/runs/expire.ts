/**
 * Expire: a job that is due is not called if its account has expired by then; it loses its due time instead. The claim
 * does that with the jobs it finds, so nothing has to be written for all jobs of an account at the moment it expires.
 */

import { hasExpired } from '../../domain/accounts/account.ts';
import { findDueJobs } from '../../store/runs/claims.ts';
import type { ClaimableJob, ClaimBounds } from '../../store/runs/claims.ts';
import { findTerms, stopJobs } from '../../store/accounts/expiry.ts';
import type { Terms } from '../../store/accounts/expiry.ts';
import type { Db } from '../../store/database/open.ts';

/** Jobs looked at once some are to be stopped, so that few free slots do not hold up others: some milliseconds. */
const looked = 500;

/** Jobs that are due, with the terms of their accounts by the ids of their workspaces. */
export interface Found {
  due: ClaimableJob[];
  terms: ReadonlyMap<string, Terms>;
  /** Whether anything was due, to be called or not. */
  isAny: boolean;
  /** Accounts whose schedules stop with this. */
  expired: number;
}

/** Finds the jobs that are due, and stops those of accounts that have expired. */
export async function findCallable(tx: Db, now: number, bounds: ClaimBounds): Promise<Found> {
  const first = await findAll(tx, now, bounds);
  if (first.expired.length === 0) return { ...first, expired: 0, isAny: first.due.length > 0 };
  const limit = Math.max(bounds.limit, looked);
  const { due, terms, expired } = await findAll(tx, now, { ...bounds, limit });
  const accounts = expired
    .map(({ job }) => terms.get(job.workspaceId))
    .filter((its) => its !== undefined && its.schedules !== 'off');
  const accountIds = new Set(accounts.map((its) => its?.accountId ?? ''));
  await stopJobs(
    tx,
    expired.map(({ job }) => job),
    [...accountIds],
  );
  return { due, terms, expired: accountIds.size, isAny: true };
}

async function findAll(tx: Db, now: number, bounds: ClaimBounds) {
  const found = await findDueJobs(tx, now, bounds);
  const terms = await termsOf(tx, found);
  const isExpired = ({ job }: ClaimableJob): boolean => {
    const its = terms.get(job.workspaceId);
    return its !== undefined && hasExpired(its, now);
  };
  const expired = found.filter(isExpired);
  const due = expired.length === 0 ? found : found.filter((one) => !isExpired(one));
  return { due, terms, expired };
}

/** The terms of the accounts of these jobs, by the ids of their workspaces. */
export async function termsOf(
  tx: Db,
  found: readonly ClaimableJob[],
): Promise<ReadonlyMap<string, Terms>> {
  if (found.length === 0) return new Map();
  return await findTerms(tx, [...new Set(found.map(({ job }) => job.workspaceId))]);
}
