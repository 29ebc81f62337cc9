/** What is pruned, in the order in which it is tried. To prune something else, add it to the list. */

import { auditRetention } from '../../domain/accounts/audit.ts';
import { msPerDay } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { deliveriesKeptMs, deliveryLifeMs } from '../../domain/alerts/delivery.ts';
import { privatePartKeptMs } from '../../domain/calls/call-key.ts';
import { nodesKeptMs } from '../../domain/nodes.ts';
import { rememberedMs } from '../../domain/repeatable.ts';
import { findOldAuditEntry, removeOldAuditEntries } from '../../store/accounts/audit.ts';
import { findOldMadeOnce, removeOldMadeOnce } from '../../store/accounts/made-once.ts';
import { findExpiredSession, removeExpiredSessions } from '../../store/accounts/sessions.ts';
import { findExpiredCode, removeExpiredCodes } from '../../store/accounts/sign-in-codes.ts';
import { findDeletedWorkspace, removeDeletedWorkspace } from '../../store/accounts/workspaces.ts';
import {
  endOldDeliveries,
  findEndedQueue,
  findOldDelivery,
  removeOldDeliveries,
  settleEndedDeliveries,
} from '../../store/alerts/deliveries.ts';
import { findRetiredCallKey, removePrivateCallKey } from '../../store/calls/call-keys.ts';
import { findDeleted, removeDeleted } from '../../store/database/owned.ts';
import type { DeletableTable } from '../../store/database/owned.ts';
import type { Db, Store } from '../../store/database/store.ts';
import { findOldSpan, removeOldSpans } from '../../store/jobs/spans.ts';
import { findOldNode, removeOldNodes } from '../../store/nodes/nodes.ts';
import { steadyForMs, watchSteadiness } from './clock-watch.ts';
import { createGivingBack } from './give-back.ts';
import { createEarlyPruning } from './prune-early.ts';
import { createResultsPruning } from './prune-results.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';
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
  /** How long to wait after nothing was found. */
  restMs?: number;
}

/** Makes all prunings: what people deleted, then what is too old or too much, then what space is too short for, then free pages. */
export function createPrunings(store: Store, clock: Clock, space: SpaceWatch): Pruning[] {
  const results = createResultsPruning(store, clock);
  const olderThan = (ageMs: number): number => clock.now() - ageMs;
  const oldAuditAt = (): number => olderThan(auditRetention.days * msPerDay);
  const isClockSteady = watchSteadiness(clock, steadyForMs);
  const undeliveredMs = deliveryLifeMs + lastAttemptMs;
  const removals: Removal[] = [
    { ...deleted('rowsOfDeletedJobs', 'jobs'), onFound: results.restart },
    deleted('rowsOfDeletedMonitors', 'monitors'),
    deleted('rowsOfDeletedChannels', 'channels'),
    { name: 'endedDeliveries', find: findEndedQueue, remove: settleEndedDeliveries },
    {
      name: 'pendingDeliveries',
      find: (db) => findOldDelivery(db, 'pending', olderThan(undeliveredMs)),
      remove: (tx, _, rows) => endOldDeliveries(tx, olderThan(undeliveredMs), rows),
      restMs: agingEveryMs,
    },
    {
      name: 'deliveries',
      find: (db) => findOldDelivery(db, 'over', olderThan(deliveriesKeptMs)),
      remove: (tx, _, rows) => removeOldDeliveries(tx, olderThan(deliveriesKeptMs), rows),
      restMs: agingEveryMs,
    },
    {
      name: 'auditEntries',
      find: async (db) => (isClockSteady() ? await findOldAuditEntry(db, oldAuditAt()) : undefined),
      remove: (tx, _, rows) => removeOldAuditEntries(tx, oldAuditAt(), rows),
      restMs: agingEveryMs,
    },
    {
      name: 'idempotencyKeys',
      find: (db) => findOldMadeOnce(db, olderThan(rememberedMs)),
      remove: (tx, _, rows) => removeOldMadeOnce(tx, olderThan(rememberedMs), rows),
      restMs: agingEveryMs,
    },
    {
      name: 'sessions',
      find: (db) => findExpiredSession(db, clock.now()),
      remove: (tx, _, rows) => removeExpiredSessions(tx, clock.now(), rows),
      restMs: agingEveryMs,
    },
    {
      name: 'signInCodes',
      find: (db) => findExpiredCode(db, clock.now()),
      remove: (tx, _, rows) => removeExpiredCodes(tx, clock.now(), rows),
      restMs: agingEveryMs,
    },
    {
      name: 'nodes',
      find: (db) => findOldNode(db, olderThan(nodesKeptMs)),
      remove: (tx, _, rows) => removeOldNodes(tx, olderThan(nodesKeptMs), rows),
      restMs: agingEveryMs,
    },
    {
      name: 'scheduleSpans',
      find: (db) => findOldSpan(db, olderThan(spansKeptMs)),
      remove: (tx, id) => removeOldSpans(tx, id, olderThan(spansKeptMs)),
      restMs: agingEveryMs,
    },
    {
      name: 'privateCallKeys',
      find: (db) => findRetiredCallKey(db, olderThan(privatePartKeptMs)),
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
    results,
    createEarlyPruning(store, clock, space),
    ...(givingBack === null ? [] : [givingBack]),
  ];
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
  { name, find, remove, onFound, restMs = 0 }: Removal,
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
      return await writes.write((tx) => remove(tx, id, writes.rows));
    },
  };
}
