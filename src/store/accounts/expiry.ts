/**
 * What an account's expiry means for its jobs. Nothing is written when it expires: a claim that then finds a due job
 * takes its due time away instead. So no transaction is larger than a claim, however many jobs there are.
 * `accounts.schedules` says whether jobs have lost their due times:
 *
 *     on → off        with the first such job
 *     off → resuming  with the first step that plans jobs again, after a renewal
 *     resuming → on   with the last step; or back to off, if the account expires meanwhile
 *
 * Due times up to `accounts.renewed_at` are neither called nor missed. Monitors are not affected: jobd calls nothing
 * for them.
 */

import { sql } from 'kysely';
import type { PlanName } from '../../domain/accounts/plan.ts';
import type { Window } from '../../domain/windows.ts';
import type { Planned } from '../../domain/schedule/span.ts';
import { idList, textsIn } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { statement, statementForEach, type Parameters } from '../database/statement.ts';
import { keepSpans } from '../jobs/schedule-spans.ts';
import { workspaceLabel } from '../database/workspace-label.ts';
import { holdsIn } from './windows.ts';

/** The plan and expiry of a job's account. Times are epoch milliseconds. */
export interface Terms {
  /** The job's workspace in the log; null while it is the only one. */
  workspace: string | null;
  accountId: string;
  plan: PlanName;
  expiresAt: number | null;
  schedules: 'on' | 'off' | 'resuming';
  renewedAt: number | null;
  /** The windows of the workspace that hold jobs. */
  holds: readonly Window[];
}

const termsOfWorkspaces = statement((db: Db, of: Parameters<{ ids: string }>) =>
  db
    .selectFrom('workspaces')
    .innerJoin('accounts', 'accounts.id', 'workspaces.account_id')
    .select(['workspaces.id', 'accounts.id as account_id'])
    .select(['plan', 'expires_at', 'schedules', 'renewed_at', workspaceLabel.as('workspace')])
    .select('windows')
    .where(sql<boolean>`workspaces.id in ${textsIn(of('ids'))}`)
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
        workspace: row.workspace,
        accountId: row.account_id,
        plan: row.plan,
        expiresAt: row.expires_at,
        schedules: row.schedules,
        renewedAt: row.renewed_at,
        holds: holdsIn(row.windows),
      },
    ]),
  );
}

const stopJob = statementForEach((db: Db, of: Parameters<{ id: string }>) =>
  db.updateTable('jobs').set({ next_run_at: null }).where('id', '=', of('id')).compile(),
);

/** A job that is due at `nextRunAt`, and is not called any more. */
type StoppedJob = Pick<Planned, 'id' | 'nextRunAt'>;

/** Takes the due times of these jobs away at `now`: their accounts have expired. */
export async function stopJobs(
  tx: Db,
  jobs: readonly StoppedJob[],
  { accountIds, now }: { accountIds: readonly string[]; now: number },
): Promise<void> {
  const changes = jobs.map(({ id: jobId, nextRunAt: nextDueAt }) => {
    return { jobId, at: now, ended: { reason: 'expired', nextDueAt }, begun: null } as const;
  });
  await keepSpans(tx, changes);
  const ids = jobs.map(({ id }) => ({ id }));
  await stopJob(tx, ids);
  await tx
    .updateTable('accounts')
    .set({ schedules: 'off' })
    .where('id', 'in', idList(accountIds))
    .execute();
}

/** Notes that an expired account is paid for again from `now` (epoch milliseconds). */
export async function markRenewed(tx: Db, accountId: string, now: number): Promise<void> {
  await tx.updateTable('accounts').set({ renewed_at: now }).where('id', '=', accountId).execute();
}

/** An account that is paid for, and has jobs without due times. */
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
  // Two queries, so that each uses the index and reads no account that stays stopped.
  return (
    (await stopped.where('expires_at', 'is', null).executeTakeFirst()) ??
    (await stopped.where('expires_at', '>', now).executeTakeFirst())
  );
}

/** Notes that an account's jobs are being planned again. */
export async function beginResuming(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ schedules: 'resuming' })
    .where('id', '=', accountId)
    .where('schedules', '<>', 'on')
    .execute();
}

/** Notes that all jobs of an account are planned, unless it expired meanwhile and some have stopped again. */
export async function endResuming(tx: Db, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ schedules: 'on' })
    .where('id', '=', accountId)
    .where('schedules', '=', 'resuming')
    .execute();
}
