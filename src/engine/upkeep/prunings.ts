/** What is pruned, in the order in which it is tried. To prune something else, add it to the list. */

import { auditRetention } from '../../domain/accounts/audit.ts';
import { msPerDay, type Clock } from '../../domain/clock.ts';
import { deliveriesKeptMs, deliveryLifeMs } from '../../domain/alerts/delivery.ts';
import { privatePartKeptMs } from '../../domain/proof/call-key.ts';
import { nodesKeptMs } from '../../domain/nodes.ts';
import { rememberedMs } from '../../domain/repeatable.ts';
import { findDeletedWorkspace, removeDeletedWorkspace } from '../../store/accounts/workspaces.ts';
import {
  endOldDeliveries,
  findEndedQueue,
  findOldDelivery,
  settleEndedDeliveries,
} from '../../store/alerts/deliveries.ts';
import { findRetiredCallKey, removePrivateCallKey } from '../../store/proof/call-keys.ts';
import { hasOldRows, removeOldRows, type DatedTable } from '../../store/database/old-rows.ts';
import { findDeleted, removeDeleted, type DeletableTable } from '../../store/database/owned.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { steadyForMs, watchSteadiness } from '../clock-watch.ts';
import { findSpentJob, type FoundSpent } from '../../store/jobs/spent.ts';
import type { Log } from '../../base/log.ts';
import { createGivingBack } from './give-back.ts';
import { createHistoryPruning } from './prune-history.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';
import { deleteSpentJobs } from './spent-jobs.ts';
import type { SpaceWatch } from './space-watch.ts';

/** No plan keeps runs for longer, so nothing of these can be checked. */
const spansKeptMs = 400 * msPerDay;
/** By then the last attempt of an alert whose time is over has ended, unless its channel could not be tried. */
const lastAttemptMs = 600_000;
/** How often to look for rows that are too old. */
const agingEveryMs = 60_000;

/** Rows of one kind that are to go. */
interface Removal {
  /** As the log names them. */
  name: string;
  /** Finds the id of something to remove, by reading only; undefined if there is nothing. */
  readonly find: (db: Db) => Promise<string | undefined>;
  /** Removes up to `rows` rows of what was found. Returns how many. */
  readonly remove: (tx: Db, id: string, rows: number) => Promise<number>;
  /** Called each time something is found. */
  readonly onFound?: () => void;
  /** Called each time something was removed. */
  readonly onRemoved?: () => void;
  /** How long to wait after nothing was found. */
  restMs?: number;
}

interface PruningParts {
  store: Store;
  clock: Clock;
  log: Pick<Log, 'info'>;
}

/** Makes all prunings: what people deleted, then what is old, then history that is too much, then free pages. */
export function createPrunings({ store, clock, log }: PruningParts, space: SpaceWatch): Pruning[] {
  const history = createHistoryPruning(store, clock, space);
  const before = (ageMs: number): number => clock.now() - ageMs;
  const isClockSteady = watchSteadiness(clock, steadyForMs);
  const undeliveredMs = deliveryLifeMs + lastAttemptMs;
  const old = (name: string, table: DatedTable, keptMs: number): Removal => ({
    name,
    find: async (db) =>
      isClockSteady() && (await hasOldRows(db, table, before(keptMs))) ? table : undefined,
    remove: (tx, _, rows) => removeOldRows(tx, table, before(keptMs), rows),
    restMs: agingEveryMs,
  });
  const removals: Removal[] = [
    spentJobs({ clock, log }, isClockSteady),
    { ...deleted('rowsOfDeletedJobs', 'jobs'), onFound: history.restart },
    deleted('rowsOfDeletedMonitors', 'monitors'),
    deleted('rowsOfDeletedChannels', 'channels'),
    { name: 'endedDeliveries', find: findEndedQueue, remove: settleEndedDeliveries },
    {
      name: 'pendingDeliveries',
      find: (db) => findOldDelivery(db, before(undeliveredMs)),
      remove: (tx, _, rows) => endOldDeliveries(tx, before(undeliveredMs), rows),
      restMs: agingEveryMs,
    },
    old('deliveries', 'deliveries', deliveriesKeptMs),
    old('auditEntries', 'audit_entries', auditRetention.days * msPerDay),
    old('idempotencyKeys', 'made_once', rememberedMs),
    old('sessions', 'sessions', 0),
    old('signInCodes', 'sign_in_codes', 0),
    old('nodes', 'nodes', nodesKeptMs),
    old('scheduleSpans', 'schedule_spans', spansKeptMs),
    {
      name: 'privateCallKeys',
      find: async (db) =>
        isClockSteady() ? await findRetiredCallKey(db, before(privatePartKeptMs)) : undefined,
      remove: removePrivateCallKey,
      restMs: agingEveryMs,
    },
    {
      name: 'deletedWorkspaces',
      find: findDeletedWorkspace,
      remove: (tx, id, rows) => removeDeletedWorkspace(tx, id, { now: clock.now(), limit: rows }),
    },
  ];
  const givingBack = createGivingBack(store, clock);
  return [
    ...removals.map((removal) => createRemoving(store, clock, removal)),
    history,
    ...(givingBack === null ? [] : [givingBack]),
  ];
}

/** Jobs that delete themselves. */
function spentJobs(
  { clock, log }: Pick<PruningParts, 'clock' | 'log'>,
  isClockSteady: () => boolean,
): Removal {
  let gone: readonly FoundSpent[] = [];
  return {
    name: 'spentJobs',
    // What a clock that is ahead calls past may be still to come.
    find: async (db) => (isClockSteady() ? await findSpentJob(db, clock.now()) : undefined),
    async remove(tx, _, rows) {
      gone = await deleteSpentJobs(tx, clock.now(), rows);
      return gone.length;
    },
    onRemoved() {
      for (const { name, id: jobId } of gone) log.info({ job: name, jobId }, 'job deleted itself');
    },
    restMs: agingEveryMs,
  };
}

function deleted(name: string, table: DeletableTable): Removal {
  return {
    name,
    find: (db) => findDeleted(db, table),
    remove: (tx, id, rows) => removeDeleted(tx, table, id, rows),
  };
}

function createRemoving(
  store: Store,
  clock: Clock,
  { name, find, remove, onFound, onRemoved, restMs = 0 }: Removal,
): Pruning {
  const writes = createSmallWrites(store, clock);
  let restUntil = -Infinity;
  return {
    name,
    writes,
    async step() {
      if (clock.monotonicMs() < restUntil) return null;
      const id = await find(store.db);
      if (id === undefined) {
        restUntil = clock.monotonicMs() + restMs;
        return null;
      }
      onFound?.();
      const removed = await writes.write((tx) => remove(tx, id, writes.rows));
      onRemoved?.();
      return removed;
    },
  };
}
