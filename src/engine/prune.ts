/** Prune: what people have deleted leaves the disk in steps that never hold the writer for long. */

import type { Clock } from '../domain/clock.ts';
import { hasDeletedJobs, removeDeletedJobs } from '../store/jobs.ts';
import type { Store } from '../store/open.ts';
import { findDeletedWorkspace, removeDeletedWorkspace } from '../store/workspaces.ts';

/** Runs removed in one transaction: some milliseconds of writing. */
const runsPerStep = 200;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

/** Removes a batch. Returns how long to rest. */
export async function pruneStep(store: Store, clock: Clock): Promise<number> {
  if (await hasDeletedJobs(store.db)) {
    await store.write((tx) => removeDeletedJobs(tx, runsPerStep));
    return restMs;
  }
  const workspace = await findDeletedWorkspace(store.db);
  if (workspace === undefined) return Infinity;
  const { id } = workspace;
  const left = await store.write((tx) => removeDeletedWorkspace(tx, id, clock.now()));
  return left === 'executing' ? Infinity : restMs;
}
