/** What an account uses of what its plan allows. */

import { sql } from 'kysely';
import type { Db } from '../database/open.ts';

export interface Usage {
  jobs: number;
  monitors: number;
}

/**
 * What of the account's quota is used; what is deleted does not count, what is paused does. In the
 * transaction that adds a job or a monitor this is exact, as writers come one after another.
 */
export async function usageOf(db: Db, accountId: string): Promise<Usage> {
  const { jobs } = await db
    .selectFrom('jobs')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .select((of) => of.fn.countAll<number>().as('jobs'))
    .where('account_id', '=', accountId)
    .where('jobs.deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const { monitors } = await db
    .selectFrom('monitors')
    .innerJoin('workspaces', 'workspaces.id', 'monitors.workspace_id')
    .select((of) => of.fn.countAll<number>().as('monitors'))
    .where('account_id', '=', accountId)
    .where('monitors.deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { jobs, monitors };
}

/**
 * Results kept of all jobs of an account: runs that are over, missed ones too. Summed from the totals that
 * each job keeps, so that the cost grows with the jobs and not with the runs.
 */
export async function countResults(db: Db, accountId: string): Promise<number> {
  const { results } = await db
    .selectFrom('jobs')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .select(
      sql<number>`coalesce(sum(total_success + total_failed + total_interrupted + total_missed), 0)`.as(
        'results',
      ),
    )
    .where('account_id', '=', accountId)
    .where('jobs.deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return results;
}

/** Keys of an account that are neither revoked nor expired at `now`. */
export async function countActiveKeys(db: Db, accountId: string, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('keys')
    .innerJoin('workspaces', 'workspaces.id', 'keys.workspace_id')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return count;
}
