/** What an account may do, checked in the transaction that does it: of two requests only one can take the last free place. */

import { checkPaid, type Account } from '../../domain/accounts/account.ts';
import { JobdError } from '../../domain/errors.ts';
import { checkRoom } from '../../domain/accounts/plan-limits.ts';
import { plans } from '../../domain/accounts/plan.ts';
import { findAccountOf } from '../../store/accounts/accounts.ts';
import type { Db } from '../../store/database/store.ts';
import { usageOf } from '../../store/accounts/usage.ts';
import type { Principal } from '../app.ts';

/** The account that a principal acts for. Throws `unauthenticated` if its workspace was deleted. */
export async function requireAccount(db: Db, { workspaceId }: Principal): Promise<Account> {
  const account = await findAccountOf(db, workspaceId);
  if (account !== undefined) return account;
  throw new JobdError('unauthenticated', 'the workspace of this key was deleted');
}

/** The same, if the account has not expired at `now`. Throws `payment_required`. */
export async function requirePaid(db: Db, principal: Principal, now: number): Promise<Account> {
  const account = await requireAccount(db, principal);
  checkPaid(account, now);
  return account;
}

/** Throws `forbidden` if the plan allows no more jobs and monitors, naming plan and figure. */
export async function requireRoom(tx: Db, { id, plan }: Account): Promise<void> {
  if (plans[plan].jobs === null) return;
  const { jobs, monitors } = await usageOf(tx, id);
  checkRoom(plans[plan], jobs + monitors);
}
