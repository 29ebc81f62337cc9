import { countOf } from './count.ts';
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
  return {
    jobs: await countOf(db.selectFrom('jobs').where('deleted_at', 'is', null)),
    monitors: await countOf(db.selectFrom('monitors').where('deleted_at', 'is', null)),
    runs: await countOf(db.selectFrom('runs')),
    keys: await countOf(db.selectFrom('keys').where('revoked_at', 'is', null)),
  };
}
