/**
 * What an account's expiry means for its jobs: none of them has a due time, so that claiming never meets
 * them and nothing is missed. `accounts.schedules` tells how far that is:
 *
 *     on → off        in the transaction that claims, or renews, once the account has expired
 *     off → resuming  with the first jobs that are planned anew after a renewal
 *     resuming → on   with the last ones; or off, should the account expire meanwhile
 *
 * Monitors go on: nothing is called for them, and their pings come from elsewhere.
 */

import { sql } from 'kysely';
import { idList } from './dialect.ts';
import type { Db } from './open.ts';
import { statement } from './statement.ts';
import type { Parameters } from './statement.ts';

const expiredAccounts = statement((db: Db, of: Parameters<{ now: number }>) =>
  db
    .selectFrom('accounts')
    .select('id')
    .where('expires_at', '<=', of('now'))
    .where('expires_at', 'is not', null)
    .where('schedules', '<>', sql.lit<'off'>('off'))
    .compile(),
);

/**
 * Takes their due times from all jobs of accounts that have expired by `now` (epoch milliseconds).
 * Returns how many accounts those are; nearly always none, which costs one look into an index.
 */
export async function stopExpiredAccounts(tx: Db, now: number): Promise<number> {
  const expired = await expiredAccounts(tx, { now });
  if (expired.length === 0) return 0;
  const accounts = idList(expired.map(({ id }) => id));
  const workspaces = tx.selectFrom('workspaces').select('id').where('account_id', 'in', accounts);
  await tx
    .updateTable('jobs')
    .set({ next_run_at: null })
    .where('workspace_id', 'in', workspaces)
    .where('next_run_at', 'is not', null)
    .execute();
  await tx.updateTable('accounts').set({ schedules: 'off' }).where('id', 'in', accounts).execute();
  return expired.length;
}

/** An account that is paid for while its jobs have no due times, or not all of them. */
export interface StoppedAccount {
  id: string;
  schedules: 'off' | 'resuming';
}

/** An account whose jobs are to be planned anew, or undefined. */
export async function findAccountToResume(
  db: Db,
  now: number,
): Promise<StoppedAccount | undefined> {
  const stopped = db
    .selectFrom('accounts')
    .select('id')
    .select((of) => of.ref('schedules').$castTo<'off' | 'resuming'>().as('schedules'))
    .where('schedules', '<>', sql.lit<'on'>('on'))
    .limit(1);
  // One question each, so that neither looks through the accounts that stay stopped.
  return (
    (await stopped.where('expires_at', 'is', null).executeTakeFirst()) ??
    (await stopped.where('expires_at', '>', now).executeTakeFirst())
  );
}

/** Notes how far an account's jobs are planned anew. */
export async function markResumed(
  tx: Db,
  accountId: string,
  schedules: 'resuming' | 'on',
): Promise<void> {
  await tx.updateTable('accounts').set({ schedules }).where('id', '=', accountId).execute();
}
