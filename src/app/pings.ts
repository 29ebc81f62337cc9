/**
 * Pings as they come in. Those of one turn of the event loop are written in one transaction: each is on
 * the disk before it is acknowledged, and a crowd of them costs few syncs.
 *
 * Pings of a monitor that come faster than `pingPace` allows are folded: they wait for the end of a short interval, change the
 * monitor's state in their order, and only the last of them becomes a row. They too are acknowledged after the commit.
 */

import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/id.ts';
import { edgesOf } from '../domain/monitor-alert.ts';
import { durationUntil, flipOf, monitorAfter } from '../domain/monitor.ts';
import type { Flip, Monitor } from '../domain/monitor.ts';
import { keptAtPace, pingPace } from '../domain/ping.ts';
import type { Ping, PingKind } from '../domain/ping.ts';
import { insertEdges } from '../store/edges.ts';
import { keepPingedMonitors } from '../store/monitor-states.ts';
import { createBatcher } from '../store/batches.ts';
import type { Db } from '../store/open.ts';
import { findPinged, findPingedMonitors, insertPings, removeOldPings } from '../store/pings.ts';
import type { App } from './app.ts';

/** A ping before it is kept. */
export type ReceivedPing = Pick<
  Ping,
  'monitorId' | 'kind' | 'exitCode' | 'method' | 'body' | 'truncated'
>;

/** The id of the monitor that a ping id, in lower or upper case, stands for, or undefined. */
export async function findPingedMonitor(
  { store }: Pick<App, 'store'>,
  pingId: string,
): Promise<string | undefined> {
  return await findPinged(store.db, pingId.toLowerCase());
}

/** Pings of one monitor, of which the last becomes a row. Times are epoch milliseconds. */
interface Fold {
  earlier: { kind: PingKind; at: number }[];
  last: ReceivedPing;
  receivedAt: number;
  /** Called after the commit. */
  senders: { resolve: (isKept: boolean) => void; reject: (error: unknown) => void }[];
}

/**
 * Makes what keeps pings. Its promise resolves when the ping is on the disk, with false if the monitor is
 * gone; it rejects with `unavailable` if the store cannot be written. `onFlips` hears what changed with that.
 */
export function createPingKeeper(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  onFlips: (flips: readonly Flip[]) => void,
): (ping: ReceivedPing) => Promise<boolean> {
  const isAtPace = createPace(clock);
  const folds = new Map<string, Fold>();

  /** On a full disk pings change their monitors in place, and are no rows. */
  async function write(batch: readonly Fold[]): ReturnType<typeof keepPings> {
    const isKeepingRows = !store.reserve.isInUse;
    try {
      return await store.write((tx) => keepPings(tx, batch, { isKeepingRows }));
    } catch (error) {
      if (isKeepingRows && store.reserve.isInUse) return await write(batch);
      throw error;
    }
  }

  async function keepBatch(batch: readonly Fold[]): Promise<void> {
    try {
      const { kept, flips } = await write(batch);
      for (const { last, senders } of batch) {
        for (const { resolve } of senders) resolve(kept.has(last.monitorId));
      }
      onFlips(flips);
    } catch (error) {
      for (const { senders } of batch) for (const { reject } of senders) reject(error);
    }
  }

  const keep = createBatcher(keepBatch);

  function keepFolds(): void {
    for (const fold of folds.values()) keep(fold);
    folds.clear();
  }

  return (ping) =>
    new Promise((resolve, reject) => {
      const { monitorId } = ping;
      const sender = { resolve, reject };
      const receivedAt = clock.now();
      const fold = folds.get(monitorId);
      if (fold !== undefined) {
        fold.earlier.push({ kind: fold.last.kind, at: fold.receivedAt });
        fold.last = ping;
        fold.receivedAt = receivedAt;
        fold.senders.push(sender);
        return;
      }
      const first: Fold = { earlier: [], last: ping, receivedAt, senders: [sender] };
      if (isAtPace(monitorId)) {
        keep(first);
        return;
      }
      if (folds.size === 0) setTimeout(keepFolds, pingPace.everyMs);
      folds.set(monitorId, first);
    });
}

/** Monitors that have rested are forgotten this often, so that only those pinged in the last minutes are remembered. */
const sweepEveryMs = 60_000;

/** Makes what tells whether another ping of a monitor may be kept by itself now. */
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

/** Keeps pings in the order they came, and what they make of their monitors. */
async function keepPings(
  tx: Db,
  batch: readonly Fold[],
  { isKeepingRows }: { isKeepingRows: boolean },
): Promise<{ kept: ReadonlySet<string>; flips: readonly Flip[] }> {
  const ids = new Set(batch.map(({ last }) => last.monitorId));
  const pinged = await findPingedMonitors(tx, [...ids]);
  const pings: Ping[] = [];
  const flips: Flip[] = [];
  for (const { earlier, last, receivedAt } of batch) {
    const known = pinged.get(last.monitorId);
    if (known === undefined) continue;
    const { monitor: first, pingCount } = known;
    const before = earlier.reduce(afterPing, first);
    const after = afterPing(before, { kind: last.kind, at: receivedAt });
    const durationMs = last.kind === 'start' ? null : durationUntil(before, receivedAt);
    const number = isKeepingRows ? pingCount + 1 : pingCount;
    if (isKeepingRows)
      pings.push({ ...last, id: newId(receivedAt), number, receivedAt, durationMs });
    pinged.set(last.monitorId, { monitor: after, pingCount: number });
    const flip = flipOf(first, after, receivedAt);
    if (flip !== null) flips.push(flip);
  }
  await insertPings(tx, pings);
  await keepPingedMonitors(tx, [...pinged.values()]);
  await removeOldPings(tx, [...pinged.values()]);
  await insertEdges(tx, edgesOf(flips));
  return { kept: new Set(pinged.keys()), flips };
}

function afterPing(monitor: Monitor, ping: { kind: PingKind; at: number }): Monitor {
  return monitorAfter(monitor, { type: 'ping', ...ping });
}
