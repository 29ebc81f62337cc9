/** Prune: what people have deleted leaves the disk in steps that never hold the writer for long. */

import { hasDeletedJobs, removeDeletedJobs } from '../store/jobs.ts';
import type { Store } from '../store/open.ts';

/** Runs removed in one transaction: some milliseconds of writing. */
const runsPerStep = 200;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

/** Removes a batch. Returns how long to rest. */
export async function pruneStep(store: Store): Promise<number> {
  if (!(await hasDeletedJobs(store.db))) return Infinity;
  await store.write((tx) => removeDeletedJobs(tx, runsPerStep));
  return restMs;
}
