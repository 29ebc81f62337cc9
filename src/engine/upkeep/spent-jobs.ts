/** Spent jobs: those that delete themselves once they are due no more (docs/behavior.md#once-4). */

import { judgeDeletion } from '../../domain/jobs/spent.ts';
import { markCallbacksDeleted } from '../../store/alerts/callbacks.ts';
import type { Db } from '../../store/database/store.ts';
import { markJobDeleted } from '../../store/jobs/jobs.ts';
import { findSpentJobs, postponeDeletion, type FoundSpent } from '../../store/jobs/spent.ts';

/** Judges up to `limit` jobs at `now`, in epoch milliseconds. Returns those it deleted. */
export async function deleteSpentJobs(tx: Db, now: number, limit: number): Promise<FoundSpent[]> {
  const deleted: FoundSpent[] = [];
  for (const job of await findSpentJobs(tx, now, limit)) {
    const later = judgeDeletion(job, now);
    if (later === null) {
      await markJobDeleted(tx, job.id, now);
      await markCallbacksDeleted(tx, [job.id], now);
      deleted.push(job);
    } else {
      await postponeDeletion(tx, job.id, later);
    }
  }
  return deleted;
}
