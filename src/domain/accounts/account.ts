/** Accounts: they own workspaces, have a plan, and may run and edit until what is paid for ends. */

import { checkLength } from '../characters.ts';
import { isoTime } from '../clock.ts';
import { invalidInput, JobdError } from '../errors.ts';
import type { PlanName } from './plan.ts';

/** Times are epoch milliseconds. */
export interface Account {
  id: string;
  /** Unique; what commands call it by. */
  name: string;
  plan: PlanName;
  /** From then on nothing runs and nothing can be edited; null if that is never. */
  expiresAt: number | null;
  /** Whether what ends then is a trial. */
  onTrial: boolean;
  createdAt: number;
}

/** Where an account stands: on trial, paid for (or in need of no payment), or past its end. */
export type Standing = 'trial' | 'active' | 'expired';

/** Where the account stands at `now`. */
export function standingOf(account: Account, now: number): Standing {
  if (hasExpired(account, now)) return 'expired';
  return account.onTrial ? 'trial' : 'active';
}

/** Whether what the account has paid for, or its trial, is over. */
export function hasExpired({ expiresAt }: Pick<Account, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** When the trial ends, or ended; null if the account is not, and was not last, on trial. */
export function trialEndsAt({ expiresAt, onTrial }: Account): number | null {
  return onTrial ? expiresAt : null;
}

/** Demands an account that may run and edit (docs/behavior.md#plan-2). Throws `payment_required`. */
export function checkPaid(account: Account, now: number): void {
  if (!hasExpired(account, now)) return;
  const what = account.onTrial ? 'trial' : 'subscription';
  throw new JobdError(
    'payment_required',
    `the ${what} ended at ${isoTime(account.expiresAt ?? now)}, a subscription is needed to run and edit`,
  );
}

/** Longest name of an account or a workspace, in characters. */
const nameLength = 120;

/** Demands a name that an account or a workspace can have. Throws `invalid_input`. */
export function checkName(name: string): void {
  if (name.trim() === '') throw invalidInput('name must not be blank');
  checkLength('name', name, nameLength);
}
