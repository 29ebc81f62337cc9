/**
 * What an account's expiry means for its jobs. When it expires nothing is written: a job that is found due after that
 * loses its due time in the claim that finds it. So no transaction is larger than a claim, however many jobs there are.
 * `accounts.schedules` tells whether jobs have lost theirs:
 *
 *     on → off        with the first of them
 *     off → resuming  with the first step that plans jobs again, after a renewal
 *     resuming → on   with the last one; or off, should the account expire meanwhile
 *
 * What was due up to `accounts.renewed_at` is neither called nor missed. Monitors go on: nothing is called for them, and
 * their pings come from elsewhere.
 */

import { sql } from 'kysely';
import type { PlanName } from '../../domain/accounts/plan.ts';
import { idList } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';
import { statement, statementForEach } from '../database/statement.ts';
import type { Parameters } from '../database/statement.ts';

/** What the account of a job allows now. Times are epoch milliseconds. */
export interface Terms {
  accountId: string;
  plan: PlanName;
  expiresAt: number | null;
  schedules: 'on' | 'off' | 'resuming';
  renewedAt: number | null;
}

const termsOfWorkspaces = statement((db: Db, of: Parameters<{ ids: string }>) =>
  db
    .selectFrom('workspaces')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .select(['workspaces.id', 'accounts.id as account_id'])
    .select(['plan', 'expires_at', 'schedules', 'renewed_at'])
    .where(sql<boolean>`workspaces.id in (select value from json_each(${of('ids')}))`)
    .compile(),
);

/** The terms of the accounts that own these workspaces, by the ids of the workspaces. */
export async function findTerms(
  db: Db,
  workspaceIds: readonly string[],
): Promise<Map<string, Terms>> {
  const rows = await termsOfWorkspaces(db, { ids: JSON.stringify(workspaceIds) });
  return new Map(
    rows.map((row) => [
      row.id,
      {
        accountId: row.account_id,
        plan: row.plan,
        expiresAt: row.expires_at,
        schedules: row.schedules,
        renewedAt: row.renewed_at,
      },
    ]),
  );
}

const stopJob = statementForEach((db: Db, of: Parameters<{ id: string }>) =>
  sql`update jobs set next_run_at = null where id = ${of('id')}`.compile(db),
);

/** Takes their due times from jobs of these accounts, which have expired. */
export async function stopJobs(
  tx: Db,
  jobs: readonly { id: string }[],
  accountIds: readonly string[],
): Promise<void> {
  await stopJob(tx, jobs);
  await tx
    .updateTable('accounts')
    .set({ schedules: 'off' })
    .where('id', 'in', idList(accountIds))
    .execute();
}

/** Notes that an account that had expired is paid for again from `now` on, in epoch milliseconds. */
export async function markRenewed(tx: Db, accountId: string, now: number): Promise<void> {
  await tx.updateTable('accounts').set({ renewed_at: now }).where('id', '=', accountId).execute();
}

/** An account that is paid for while jobs of it have no due times. */
export interface StoppedAccount {
  id: string;
  schedules: 'off' | 'resuming';
}

/** An account whose jobs are to be planned again, or undefined. */
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

/** Notes how far an account's jobs are planned again. */
export async function markResumed(
  tx: Db,
  accountId: string,
  schedules: 'resuming' | 'on',
): Promise<void> {
  await tx.updateTable('accounts').set({ schedules }).where('id', '=', accountId).execute();
}
