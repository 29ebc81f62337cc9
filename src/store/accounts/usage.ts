/** What an account uses of its plan. */

import { sql } from 'kysely';
import { countOf } from '../database/count.ts';
import type { Db } from '../database/store.ts';

export interface Usage {
  jobs: number;
  monitors: number;
}

/** Jobs and monitors of the quota: paused ones too, no deleted ones. Exact in the transaction that adds one: there is one writer. */
export async function usageOf(db: Db, accountId: string): Promise<Usage> {
  const count = async (table: 'jobs' | 'monitors'): Promise<number> =>
    await countOf(
      db
        .selectFrom(table)
        .where('workspace_id', 'in', workspacesOf(db, accountId))
        .where('deleted_at', 'is', null),
    );
  return { jobs: await count('jobs'), monitors: await count('monitors') };
}

const results = sql<number>`total_success + total_failed + total_interrupted + total_missed`;

/**
 * Results of all jobs of an account: runs that are over, missed ones too. It sums the totals of its jobs, so the cost
 * grows with the jobs and not with the runs.
 */
export async function countResults(db: Db, accountId: string): Promise<number> {
  const { sum } = await db
    .selectFrom('jobs')
    .select((of) => of.fn.coalesce(of.fn.sum<number>(results), sql.lit(0)).as('sum'))
    .where('workspace_id', 'in', workspacesOf(db, accountId))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return sum;
}

/** Keys of an account that are neither revoked nor expired at `now`, in epoch milliseconds. */
export async function countActiveKeys(db: Db, accountId: string, now: number): Promise<number> {
  const keys = db
    .selectFrom('keys')
    .where('workspace_id', 'in', workspacesOf(db, accountId))
    .where('revoked_at', 'is', null)
    .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', now)]));
  return await countOf(keys);
}

function workspacesOf(db: Db, accountId: string) {
  return db.selectFrom('workspaces').select('id').where('account_id', '=', accountId);
}
