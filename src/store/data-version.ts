/** Whether others have written: what was read before may be out of date then. */

import { sql } from 'kysely';
import { atOnce } from './at-once.ts';
import type { Db } from './open.ts';
import { statement } from './statement.ts';

const version = statement((db: Db) =>
  sql<{ data_version: number }>`pragma data_version`.compile(db),
);

/**
 * A number that changes whenever another connection, in this process or another one, has committed something;
 * what this one writes does not change it (SQLite's documentation of the pragma). Asking costs a look into shared memory.
 */
export async function dataVersion(db: Db): Promise<number> {
  atOnce(db)?.look();
  const [row] = await version(db, {});
  return row?.data_version ?? NaN;
}
