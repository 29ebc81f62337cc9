/** Accounts: they own workspaces and have a plan. Until they expire they can run and edit. */

import { isoTime } from '../clock.ts';
import { JobdError } from '../errors.ts';
import { checkFields, nameField } from '../fields.ts';
import type { PlanName } from './plan.ts';

/** Times are epoch milliseconds. */
export interface Account {
  id: string;
  /** Unique; what commands call it by. */
  name: string;
  plan: PlanName;
  /** From then on nothing runs and nothing can be edited; null if never. */
  expiresAt: number | null;
  /** Whether it is a trial that ends then. */
  onTrial: boolean;
  createdAt: number;
}

/** What a key reaches, with all that belongs to it. Times are epoch milliseconds. */
export interface Workspace {
  id: string;
  /** Unique; what commands call it by. */
  name: string;
  accountId: string;
  createdAt: number;
}

/** The status of an account at `now`. `active`: paid for, or without need of payment. */
export function accountStatusOf(account: Account, now: number): 'trial' | 'active' | 'expired' {
  if (hasExpired(account, now)) return 'expired';
  return account.onTrial ? 'trial' : 'active';
}

/** Whether the subscription or the trial is over at `now`; keys expire in the same way. */
export function hasExpired({ expiresAt }: Pick<Account, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** When the trial ends or ended; null if the account is not on trial, or has been paid for since. */
export function trialEndsAt({ expiresAt, onTrial }: Account): number | null {
  return onTrial ? expiresAt : null;
}

/** Throws `payment_required` if the account has expired (docs/behavior.md#plan-2). */
export function checkPaid(account: Account, now: number): void {
  if (!hasExpired(account, now)) return;
  const what = account.onTrial ? 'trial' : 'subscription';
  throw new JobdError(
    'payment_required',
    `the ${what} ended at ${isoTime(account.expiresAt ?? now)}, a subscription is needed to run and edit`,
  );
}

/** Checks the name of an account or a workspace. Throws `invalid_input`. */
export function checkName(name: string): void {
  checkFields({ name: nameField }, { name });
}
