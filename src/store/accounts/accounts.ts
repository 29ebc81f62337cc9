/** Accounts, as operators manage them. What their expiry means for jobs is in `expiry.ts`. */

import { sql, type Selectable } from 'kysely';
import type { Account } from '../../domain/accounts/account.ts';
import type { Db } from '../database/store.ts';
import type { AccountRow } from '../database/schema.ts';
import { locksRows, rowLock, sharedRowLock } from '../database/dialect.ts';
import { statement, type Parameters } from '../database/statement.ts';

/** The account that exists from the start. */
export const defaultAccount = 'default';

/** Keeps a new account. */
export async function insertAccount(db: Db, account: Account): Promise<void> {
  const { id, name, createdAt } = account;
  const row = { id, name, created_at: createdAt, ...termsOf(account) };
  await db.insertInto('accounts').values(row).execute();
}

/** Keeps plan and expiry of an account. */
export async function updateAccount(db: Db, account: Account): Promise<void> {
  await db.updateTable('accounts').set(termsOf(account)).where('id', '=', account.id).execute();
}

const accountOfWorkspace = statement((db: Db, of: Parameters<{ workspaceId: string }>) =>
  db
    .selectFrom('workspaces')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .selectAll('accounts')
    .where('workspaces.id', '=', of('workspaceId'))
    .where('deleted_at', 'is', null)
    // Of both: what was changed while this waited is seen, also that the workspace was deleted.
    .$if(locksRows(db), (query) =>
      query.modifyEnd(sql`${rowLock('accounts')} ${sharedRowLock('workspaces')}`),
    )
    .compile(),
);

/** The accounts that transactions have locked, by their workspaces: nobody else changes them, so they are asked for once. */
const locked = new WeakMap<Db, Map<string, Account | undefined>>();

/**
 * The account that owns a workspace; undefined if the workspace was deleted. In a transaction it is locked: what counts, and
 * then adds, comes one after another.
 */
export async function findAccountOf(db: Db, workspaceId: string): Promise<Account | undefined> {
  const known = locked.get(db);
  if (known?.has(workspaceId) === true) return known.get(workspaceId);
  const [row] = await accountOfWorkspace(db, { workspaceId });
  const account = row && accountOf(row);
  if (locksRows(db)) locked.set(db, (known ?? new Map()).set(workspaceId, account));
  return account;
}

/** Waits until nobody else changes what belongs to this account, and lets nobody until the transaction ends. */
export async function lockAccountOf(tx: Db, workspaceId: string): Promise<void> {
  if (locksRows(tx)) await findAccountOf(tx, workspaceId);
}

/** The account with this name, or undefined. In a transaction it is locked. */
export async function findAccountByName(db: Db, name: string): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where('name', '=', name)
    .$if(locksRows(db), (query) => query.modifyEnd(rowLock('accounts')))
    .executeTakeFirst();
  return row && accountOf(row);
}

/** Every account, oldest first. */
export async function listAccounts(db: Db): Promise<Account[]> {
  const rows = await db.selectFrom('accounts').selectAll().orderBy('id').execute();
  return rows.map(accountOf);
}

/** The columns that operators set. */
function termsOf({ plan, expiresAt, onTrial }: Account) {
  return { plan, expires_at: expiresAt, on_trial: onTrial ? 1 : 0 };
}

function accountOf(row: Selectable<AccountRow>): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    expiresAt: row.expires_at,
    onTrial: row.on_trial === 1,
    createdAt: row.created_at,
  };
}
