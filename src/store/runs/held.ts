/** Jobs and runs that a transaction holds before it decides about them: jobs first, so that nobody waits in a circle. */

import { idList, locksRows, rowLock } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';

/** Until the transaction ends, nobody else begins or ends runs of these jobs. */
export async function holdJobs(tx: Db, jobIds: readonly string[]): Promise<void> {
  if (!locksRows(tx) || jobIds.length === 0) return;
  const jobs = tx.selectFrom('jobs').select('id').where('id', 'in', idList(jobIds)).orderBy('id');
  await jobs.modifyEnd(rowLock('jobs')).execute();
}

/**
 * Until the transaction ends, nobody else ends these runs or reports of them. What was committed while this waited is seen by
 * the statements after it. They are taken in the order of their ids, as reports take theirs, so that nobody waits in a circle.
 */
export async function holdRuns(tx: Db, runIds: readonly string[]): Promise<void> {
  if (!locksRows(tx) || runIds.length === 0) return;
  const runs = tx.selectFrom('runs').select('id').where('id', 'in', idList(runIds)).orderBy('id');
  await runs.modifyEnd(rowLock('runs')).execute();
}
