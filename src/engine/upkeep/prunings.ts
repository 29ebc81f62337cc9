/** The kinds of what is pruned, in the order in which they are tried. To prune another kind, add it here. */

import { msPerDay } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { deliveryLifeMs } from '../../domain/alerts/delivery.ts';
import { hasDeletedChannels, removeDeletedChannels } from '../../store/alerts/channels.ts';

import {
  endOldDeliveries,
  hasEndedDeliveries,
  hasOldDeliveries,
  hasPendingDeliveries,
  removeOldDeliveries,
  settleEndedDeliveries,
} from '../../store/alerts/deliveries.ts';
import { hasDeletedJobs, removeDeletedJobs } from '../../store/jobs/jobs.ts';
import type { Db, Store } from '../../store/database/open.ts';
import { hasDeletedMonitors, removeDeletedMonitors } from '../../store/monitors/pings.ts';
import { findDeletedWorkspace, removeDeletedWorkspace } from '../../store/accounts/workspaces.ts';
import { createGivingBack } from './give-back.ts';
import { createResultsPruning } from './prune-results.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';

/** What people deleted first, then what plans do not keep; and the room of all that at the end. */
export function createPrunings(store: Store, clock: Clock): Pruning[] {
  const results = createResultsPruning(store, clock);
  return [
    createRemoving(store, clock, {
      name: 'deletedJobs',
      isThere: hasDeletedJobs,
      remove: removeDeletedJobs,
      onFound: results.restart,
    }),
    createRemoving(store, clock, {
      name: 'deletedMonitors',
      isThere: hasDeletedMonitors,
      remove: removeDeletedMonitors,
    }),
    createRemoving(store, clock, {
      name: 'deletedChannels',
      isThere: hasDeletedChannels,
      remove: removeDeletedChannels,
    }),
    createRemoving(store, clock, {
      name: 'endedDeliveries',
      isThere: hasEndedDeliveries,
      remove: settleEndedDeliveries,
    }),
    createAging(store, clock, {
      name: 'pendingDeliveries',
      ageMs: deliveryLifeMs + lastAttemptMs,
      isThere: hasPendingDeliveries,
      remove: endOldDeliveries,
    }),
    createAging(store, clock, {
      name: 'deliveries',
      ageMs: deliveriesKeptMs,
      isThere: hasOldDeliveries,
      remove: removeOldDeliveries,
    }),
    createWorkspacesPruning(store, clock),
    results,
    createGivingBack(store, clock),
  ];
}

interface Removal {
  name: string;
  readonly isThere: (db: Db) => Promise<boolean>;
  /** Removes up to so many rows. Returns how many those were. */
  readonly remove: (tx: Db, rows: number) => Promise<number>;
  /** Hears of each time that something is there. */
  readonly onFound?: () => void;
}

/** Removes what is there, in small writes. */
function createRemoving(
  store: Store,
  clock: Clock,
  { name, isThere, remove, onFound }: Removal,
): Pruning {
  const writes = createSmallWrites(store, clock);
  return {
    name,
    writes,
    async step() {
      if (!(await isThere(store.db))) return null;
      onFound?.();
      return await writes.write((tx) => remove(tx, writes.rows));
    },
  };
}

/** Alerts that are over are shown for so long. */
const deliveriesKeptMs = 30 * msPerDay;
/** So long after its time is over, the last attempt of an alert has ended, unless its channel could not be tried. */
const lastAttemptMs = 600_000;
/** Between two looks for older ones. */
const agingEveryMs = 60_000;

interface Aging {
  name: string;
  ageMs: number;
  readonly isThere: (db: Db, before: number) => Promise<boolean>;
  /** Removes up to so many rows from before a moment. Returns how many those were. */
  readonly remove: (tx: Db, before: number, rows: number) => Promise<number>;
}

/** Removes what is older than it may be, in small writes. */
function createAging(store: Store, clock: Clock, { name, ageMs, isThere, remove }: Aging): Pruning {
  const writes = createSmallWrites(store, clock);
  let lookAgainAt = 0;
  return {
    name,
    writes,
    async step() {
      if (clock.monotonicMs() < lookAgainAt) return null;
      const before = clock.now() - ageMs;
      if (!(await isThere(store.db, before))) {
        lookAgainAt = clock.monotonicMs() + agingEveryMs;
        return null;
      }
      return await writes.write((tx) => remove(tx, before, writes.rows));
    },
  };
}

/** Removes deleted workspaces, once their jobs, monitors and channels are deleted. */
function createWorkspacesPruning(store: Store, clock: Clock): Pruning {
  const writes = createSmallWrites(store, clock);
  return {
    name: 'deletedWorkspaces',
    writes,
    async step() {
      const workspace = await findDeletedWorkspace(store.db);
      if (workspace === undefined) return null;
      let isExecuting = false;
      const removed = await writes.write(async (tx) => {
        const left = await removeDeletedWorkspace(tx, workspace.id, clock.now());
        isExecuting = left === 'executing';
        return left === 'nothing' ? 1 : 0;
      });
      return isExecuting ? null : removed;
    },
  };
}
