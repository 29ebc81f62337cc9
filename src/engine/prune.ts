/**
 * Prune: what people have deleted, and pings beyond those that are kept, leave the disk in steps that never
 * hold the writer for long.
 */

import type { Clock } from '../domain/clock.ts';
import { hasDeletedJobs, removeDeletedJobs } from '../store/jobs.ts';
import type { Store } from '../store/open.ts';
import { hasOldPings, removeOldPings } from '../store/pings.ts';
import { findDeletedWorkspace, removeDeletedWorkspace } from '../store/workspaces.ts';

/** Runs, or pings, removed in one transaction: some milliseconds of writing. */
const rowsPerStep = 200;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

/** Removes a batch of each. Returns how long to rest. */
export async function pruneStep(store: Store, clock: Clock): Promise<number> {
  const hasJobs = await hasDeletedJobs(store.db);
  const hasPings = await hasOldPings(store.db);
  if (hasJobs) await store.write((tx) => removeDeletedJobs(tx, rowsPerStep));
  if (hasPings) await store.write((tx) => removeOldPings(tx, rowsPerStep));
  if (hasJobs || hasPings) return restMs;
  const workspace = await findDeletedWorkspace(store.db);
  if (workspace === undefined) return Infinity;
  const { id } = workspace;
  const left = await store.write((tx) => removeDeletedWorkspace(tx, id, clock.now()));
  return left === 'executing' ? Infinity : restMs;
}
