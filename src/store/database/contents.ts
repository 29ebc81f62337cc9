import type { Db } from './schema.ts';

/** How much there is: without deleted jobs and monitors, and without revoked keys. */
export interface Contents {
  jobs: number;
  monitors: number;
  runs: number;
  keys: number;
}

/** Counts everything. It reads an index of all runs: little beside a backup, which reads the whole file. */
export async function countContents(db: Db): Promise<Contents> {
  return await db
    .selectNoFrom((of) => [
      of
        .selectFrom('jobs')
        .select(of.fn.countAll<number>().as('count'))
        .where('deleted_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('jobs'),
      of
        .selectFrom('monitors')
        .select(of.fn.countAll<number>().as('count'))
        .where('deleted_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('monitors'),
      of
        .selectFrom('runs')
        .select(of.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('runs'),
      of
        .selectFrom('keys')
        .select(of.fn.countAll<number>().as('count'))
        .where('revoked_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('keys'),
    ])
    .executeTakeFirstOrThrow();
}
