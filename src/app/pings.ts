/**
 * Pings as they come in. Those of one turn of the event loop are written in one transaction: each is on
 * the disk before it is acknowledged, and a crowd of them costs few syncs.
 */

import { newId } from '../domain/id.ts';
import { edgesOf } from '../domain/monitor-alert.ts';
import { durationUntil, flipOf, monitorAfter } from '../domain/monitor.ts';
import type { Flip } from '../domain/monitor.ts';
import type { Ping } from '../domain/ping.ts';
import { insertEdges } from '../store/edges.ts';
import { keepPingedMonitors } from '../store/monitor-states.ts';
import { createBatcher } from '../store/batches.ts';
import type { Db } from '../store/open.ts';
import { findPinged, findPingedMonitors, insertPings } from '../store/pings.ts';
import type { App } from './app.ts';

/** A ping before it is kept. */
export type ReceivedPing = Pick<
  Ping,
  'monitorId' | 'kind' | 'exitCode' | 'method' | 'body' | 'truncated'
>;

/** The id of the monitor that a ping id stands for, or undefined. */
export async function findPingedMonitor(
  { store }: Pick<App, 'store'>,
  pingId: string,
): Promise<string | undefined> {
  return await findPinged(store.db, pingId);
}

interface Waiting {
  ping: ReceivedPing;
  receivedAt: number;
  /** Called after the commit. */
  resolve: (isKept: boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes what keeps pings. Its promise resolves when the ping is on the disk, with false if the monitor is
 * gone; it rejects with `unavailable` if the store cannot be written. `onFlips` hears what changed with that.
 */
export function createPingKeeper(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  onFlips: (flips: readonly Flip[]) => void,
): (ping: ReceivedPing) => Promise<boolean> {
  async function keepBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const { kept, flips } = await store.write((tx) => keepPings(tx, batch));
      for (const { ping, resolve } of batch) resolve(kept.has(ping.monitorId));
      onFlips(flips);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  const keep = createBatcher(keepBatch);
  return (ping) =>
    new Promise((resolve, reject) => {
      keep({ ping, receivedAt: clock.now(), resolve, reject });
    });
}

/** Keeps pings in the order they came, and what they make of their monitors. */
async function keepPings(
  tx: Db,
  batch: readonly Pick<Waiting, 'ping' | 'receivedAt'>[],
): Promise<{ kept: ReadonlySet<string>; flips: readonly Flip[] }> {
  const ids = new Set(batch.map(({ ping }) => ping.monitorId));
  const pinged = await findPingedMonitors(tx, [...ids]);
  const pings: Ping[] = [];
  const flips: Flip[] = [];
  for (const { ping, receivedAt } of batch) {
    const known = pinged.get(ping.monitorId);
    if (known === undefined) continue;
    const { monitor: before, pingCount } = known;
    const after = monitorAfter(before, { type: 'ping', kind: ping.kind, at: receivedAt });
    const durationMs = ping.kind === 'start' ? null : durationUntil(before, receivedAt);
    const number = pingCount + 1;
    pings.push({ ...ping, id: newId(receivedAt), number, receivedAt, durationMs });
    pinged.set(ping.monitorId, { monitor: after, pingCount: number });
    const flip = flipOf(before, after, receivedAt);
    if (flip !== null) flips.push(flip);
  }
  await insertPings(tx, pings);
  await keepPingedMonitors(tx, [...pinged.values()]);
  await insertEdges(tx, edgesOf(flips));
  return { kept: new Set(pinged.keys()), flips };
}
