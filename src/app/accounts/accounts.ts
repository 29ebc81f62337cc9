/** Accounts, for those who may open the store. A billing system reports payments with `subscribe` and `cancel`. */

import { checkName, hasExpired, trialEndsAt, type Account } from '../../domain/accounts/account.ts';
import { workspacesTold } from '../../domain/accounts/audit.ts';
import { msPerDay } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { newId } from '../../domain/id.ts';
import type { PlanName } from '../../domain/accounts/plan.ts';
import * as accounts from '../../store/accounts/accounts.ts';
import { markRenewed } from '../../store/accounts/expiry.ts';
import { listWorkspacesOf } from '../../store/accounts/workspaces.ts';
import type { Db } from '../../store/database/store.ts';
import { countActiveKeys, countResults, usageOf } from '../../store/accounts/usage.ts';
import type { Ground } from '../app.ts';
import { changeByCommand, type CommandParts } from '../change.ts';

/** Makes an account: on trial for `trialDays`, or without an end if null. Throws `invalid_input`, or `conflict` if the name is taken. */
export async function createAccount(
  { store, clock }: Ground,
  input: { name: string; plan: PlanName; trialDays: number | null },
): Promise<Account> {
  const { name, plan, trialDays } = input;
  checkName(name);
  const now = clock.now();
  const expiresAt = trialDays === null ? null : now + trialDays * msPerDay;
  const onTrial = trialDays !== null;
  const account = { id: newId(now), name, plan, expiresAt, onTrial, createdAt: now };
  await store.write(async (tx) => {
    if ((await accounts.findAccountByName(tx, name)) !== undefined) {
      throw new JobdError('conflict', `there is an account named ${name} already`);
    }
    await accounts.insertAccount(tx, account);
  });
  return account;
}

/** Every account, oldest first. */
export async function listAccounts({ store }: Pick<Ground, 'store'>): Promise<Account[]> {
  return await accounts.listAccounts(store.db);
}

/** The account of this name. Throws `not_found`. */
export async function requireAccountNamed(db: Db, name: string): Promise<Account> {
  const account = await accounts.findAccountByName(db, name);
  if (account === undefined) throw new JobdError('not_found', `there is no account named ${name}`);
  return account;
}

/** An account and its usage; `keys` counts active keys. Throws `not_found`. */
export async function showAccount({ store, clock }: Ground, name: string) {
  const account = await requireAccountNamed(store.db, name);
  const usage = await usageOf(store.db, account.id);
  const results = await countResults(store.db, account.id);
  const keys = await countActiveKeys(store.db, account.id, clock.now());
  return { account, usage: { ...usage, results, keys } };
}

/** Changes the plan of an account, and not when it expires. Throws `not_found`. */
export async function setPlan(parts: CommandParts, name: string, plan: PlanName): Promise<Account> {
  return await change(parts, name, () => ({ plan }));
}

/** Sets when the trial of an account ends, in epoch milliseconds. Throws `not_found`. */
export async function setTrial(parts: CommandParts, name: string, until: number): Promise<Account> {
  return await change(parts, name, () => ({ expiresAt: until, onTrial: true }));
}

/** Notes that an account is paid for until then, in epoch milliseconds; null means without an end. Throws `not_found`. */
export async function subscribe(
  parts: CommandParts,
  name: string,
  until: number | null,
): Promise<Account> {
  return await change(parts, name, () => ({ expiresAt: until, onTrial: false }));
}

/** Ends the subscription or trial of an account now, unless it has ended already. Throws `not_found`. */
export async function cancel(parts: CommandParts, name: string): Promise<Account> {
  return await change(parts, name, (now, { expiresAt }) => ({
    expiresAt: Math.min(now, expiresAt ?? Infinity),
  }));
}

async function change(
  parts: CommandParts,
  name: string,
  changes: (now: number, before: Account) => Partial<Account>,
): Promise<Account> {
  return await changeByCommand(parts, async (tx, noteIn) => {
    const now = parts.clock.now();
    const before = await requireAccountNamed(tx, name);
    const account = { ...before, ...changes(now, before) };
    await accounts.updateAccount(tx, account);
    if (hasExpired(before, now) && !hasExpired(account, now)) {
      await markRenewed(tx, account.id, now);
    }
    const fields = changedFields(before, account);
    for (const { id } of await listWorkspacesOf(tx, account.id, workspacesTold)) {
      noteIn(id, { action: 'account.update', subject: account, fields });
    }
    return account;
  });
}

/** The names of the fields that differ, as `jobd account show --json` has them. */
function changedFields(before: Account, after: Account): string[] {
  const [old, now] = [watched(before), watched(after)];
  return (Object.keys(now) as (keyof typeof now)[]).filter((name) => old[name] !== now[name]);
}

function watched(account: Account) {
  const { plan, expiresAt } = account;
  return { plan, expiresAt, trialEndsAt: trialEndsAt(account) };
}
