/**
 * Pings as they come in. Pings of one turn of the event loop share a transaction: each is on the disk before it is
 * acknowledged, and many of them cost few syncs.
 *
 * Pings of a monitor that come faster than `pingPace` allows are folded. They wait for the end of a short interval,
 * then change the monitor's state in their order. Only the last ping, and the last failure before it, become rows.
 * Folded pings are acknowledged after the commit too.
 */

import type { Clock } from '../../domain/clock.ts';
import type { ChangeFeed } from '../../domain/changes.ts';
import { newId } from '../../domain/id.ts';
import { monitorHealthChanges } from '../../domain/alerts/monitor-changes.ts';
import { durationUntil, monitorAfter, monitorChange } from '../../domain/monitors/monitor.ts';
import type { MonitorChange, MonitorHealth } from '../../domain/monitors/monitor.ts';
import { keptAtPace, pingPace, type Ping, type PingKind } from '../../domain/monitors/ping.ts';
import { insertHealthChanges } from '../../store/alerts/outbox.ts';
import { findPingedMonitors, keepPingedMonitors } from '../../store/monitors/monitors.ts';
import type { PingedMonitor } from '../../store/monitors/monitors.ts';
import type { Db } from '../../store/database/store.ts';
import { findPinged, insertPings, isPingKept, removeOldPings } from '../../store/monitors/pings.ts';
import type { Ground } from '../app.ts';
import { createBatcher } from '../../store/database/batches.ts';
import { writeConfirmed } from '../confirmed.ts';

/** A ping before it is kept. */
export type ReceivedPing = Pick<
  Ping,
  'monitorId' | 'kind' | 'exitCode' | 'method' | 'body' | 'truncated'
>;

/** The id of the monitor with this ping id, in lower or upper case, or undefined. */
export async function findPingedMonitor(
  { store }: Pick<Ground, 'store'>,
  pingId: string,
): Promise<string | undefined> {
  return await findPinged(store.db, pingId.toLowerCase());
}

/** `at` in epoch milliseconds. */
interface Said {
  kind: PingKind;
  at: number;
}

/** Pings of one monitor that are written together. */
interface Fold {
  monitorId: string;
  /** All of them, in their order. */
  said: Said[];
  /** The pings that become rows: the last one, and the last failure before it. The other bodies are dropped. */
  rows: Map<Said, ReceivedPing>;
  /** Called after the commit. */
  senders: { resolve: (isKept: boolean) => void; reject: (error: unknown) => void }[];
}

/**
 * Makes what keeps pings. Its promise resolves when the ping is on the disk, with false if the monitor is
 * gone; it rejects with `unavailable` if the store cannot be written. `onChanges` is called with the monitors whose health changed.
 */
export function createPingKeeper(
  { store, clock, events }: Ground & { events: ChangeFeed },
  onChanges: (changes: readonly MonitorChange[]) => void,
): (ping: ReceivedPing) => Promise<boolean> {
  const isAtPace = createPace(clock);
  const folds = new Map<string, Fold>();

  /** On a full disk pings change their monitors, but are not listed. */
  async function write(batch: readonly Fold[]): ReturnType<typeof keepPings> {
    const isKeepingRows = !store.reserve.isInUse;
    try {
      const work = (tx: Db) => keepPings(tx, batch, { isKeepingRows });
      return await writeConfirmed({ store, clock }, work, arePingsKept);
    } catch (error) {
      if (isKeepingRows && store.reserve.isInUse) return await write(batch);
      throw error;
    }
  }

  async function keepBatch(batch: readonly Fold[]): Promise<void> {
    const { kept, changes } = await write(batch);
    for (const { monitorId, senders } of batch) {
      for (const { resolve } of senders) resolve(kept.has(monitorId));
    }
    onChanges(changes);
    if (!events.isHeard) return;
    for (const [id, { monitor }] of kept) events.publish(monitor.workspaceId, { monitors: [id] });
  }

  const keep = createBatcher(keepBatch, ({ senders }, error) => {
    for (const { reject } of senders) reject(error);
  });

  function keepFolds(): void {
    for (const fold of folds.values()) keep(fold);
    folds.clear();
  }

  return (ping) =>
    new Promise((resolve, reject) => {
      const { monitorId } = ping;
      const open = folds.get(monitorId);
      const fold: Fold = open ?? { monitorId, said: [], rows: new Map(), senders: [] };
      addPing(fold, ping, clock.now());
      fold.senders.push({ resolve, reject });
      if (open !== undefined) return;
      if (isAtPace(monitorId)) {
        keep(fold);
        return;
      }
      if (folds.size === 0) clock.after(pingPace.everyMs, keepFolds);
      folds.set(monitorId, fold);
    });
}

function addPing({ said, rows }: Fold, ping: ReceivedPing, at: number): void {
  for (const one of rows.keys()) {
    if (ping.kind === 'fail' || one.kind !== 'fail') rows.delete(one);
  }
  const last = { kind: ping.kind, at };
  said.push(last);
  rows.set(last, ping);
}

/** How often to forget monitors that have rested, so that only those pinged in the last minutes take memory. */
const sweepEveryMs = 60_000;

/** Makes a function that returns whether a ping of this monitor may be written on its own now. */
function createPace(clock: Clock): (monitorId: string) => boolean {
  const restedAt = new Map<string, number>();
  let sweepAt = 0;

  function sweep(now: number): void {
    for (const [id, at] of restedAt) if (at <= now) restedAt.delete(id);
    sweepAt = now + sweepEveryMs;
  }

  return (monitorId) => {
    const now = clock.monotonicMs();
    if (now >= sweepAt) sweep(now);
    const after = keptAtPace(restedAt.get(monitorId), now);
    if (after === null) return false;
    restedAt.set(monitorId, after);
    return true;
  };
}

interface KeptPings {
  kept: ReadonlyMap<string, PingedMonitor>;
  changes: readonly MonitorChange[];
  /** The last one of them that became a row. */
  last: Ping | undefined;
}

/** Whether pings are kept whose commit was not confirmed. Whoever may still be at it holds their monitors. */
async function arePingsKept(tx: Db, { last }: KeptPings): Promise<boolean> {
  if (last === undefined) return true;
  await findPingedMonitors(tx, [last.monitorId]);
  return await isPingKept(tx, last);
}

/** Keeps pings in the order in which they came, and the states of their monitors. */
async function keepPings(
  tx: Db,
  batch: readonly Fold[],
  { isKeepingRows }: { isKeepingRows: boolean },
): Promise<KeptPings> {
  const ids = new Set(batch.map(({ monitorId }) => monitorId));
  const pinged = await findPingedMonitors(tx, [...ids]);
  const pings: Ping[] = [];
  const changes: MonitorChange[] = [];
  for (const { monitorId, said, rows } of batch) {
    const known = pinged.get(monitorId);
    if (known === undefined) continue;
    let { monitor, pingCount: number } = known;
    // The outbox keeps the last change of each type, so a flood of pings makes, and logs, at most two.
    const lastChanges = new Map<MonitorHealth, MonitorChange>();
    for (const one of said) {
      const before = monitor;
      monitor = monitorAfter(before, { type: 'ping', ...one });
      const change = monitorChange(before, monitor);
      if (change !== null) {
        lastChanges.delete(change.to);
        lastChanges.set(change.to, change);
      }
      const ping = isKeepingRows ? rows.get(one) : undefined;
      if (ping === undefined) continue;
      number += 1;
      const durationMs = one.kind === 'start' ? null : durationUntil(before, one.at);
      pings.push({ ...ping, id: newId(one.at), number, receivedAt: one.at, durationMs });
    }
    pinged.set(monitorId, { monitor, pingCount: number });
    changes.push(...lastChanges.values());
  }
  await insertPings(tx, pings);
  await keepPingedMonitors(tx, [...pinged.values()]);
  await removeOldPings(tx, [...pinged.values()]);
  await insertHealthChanges(tx, monitorHealthChanges(changes));
  return { kept: pinged, changes, last: pings.at(-1) };
}
