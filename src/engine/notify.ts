/**
 * Notify: edges become deliveries, and deliveries are tried until they arrive. Both are found by queries, so
 * that a crash loses none. A channel has a few attempts in flight, all together a bounded number: one that is
 * slow holds up no other.
 */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { nextAttemptAt } from '../domain/delivery.ts';
import type { Log } from '../log.ts';
import {
  bringForward,
  findDueChannels,
  findDueDeliveries,
  findNextDeliveryTime,
  recordAttempt,
} from '../store/delivery-queue.ts';
import type { DueChannel, DueDelivery } from '../store/delivery-queue.ts';
import { findEdges } from '../store/edges.ts';
import type { Store } from '../store/open.ts';
import { clockStepMs } from './clock-watch.ts';
import { deliver } from './deliver.ts';
import type { DelivererParts, Result } from './deliver.ts';
import { expandEdges } from './expand.ts';
import { startLoop } from './loop.ts';
import type { Loop } from './loop.ts';

export interface NotifierParts extends DelivererParts {
  store: Store;
  clock: Clock;
  log: Log;
}

/** Disposing of it ends the attempts under way: they are made again after the next start. */
export type Notifier = Pick<Loop, 'wake' | 'trouble'> & AsyncDisposable;

/** What came of an attempt, with when it began and how long it took. */
interface TimedResult extends Result {
  startedAt: number;
  durationMs: number;
}

/** Attempts in flight: in all, and of one channel. */
const maxInFlight = 64;
const maxPerChannel = 4;
/** After a start, and after the wall clock was set, what is open is tried within this. */
const longestFirstWaitMs = 30_000;
/** How long a stop waits for attempts under way, and for them to notice that it waits no longer. */
const drainMs = 3_000;
const afterAbortMs = 200;
/** Between attempts to write down what came of a delivery. */
const keepAgainMs = 1_000;

/** Starts to deliver. */
export function startNotifier(parts: NotifierParts): Notifier {
  const { store, clock, log } = parts;
  const aborter = new AbortController();
  /** Ids of deliveries, with those of their channels. */
  const inFlight = new Map<string, string>();
  let ended: Promise<void>[] = [];
  let seenAt = Infinity;
  const loop = startLoop('notify', step, log);

  async function step(): Promise<number> {
    const now = clock.now();
    if (seenAt === Infinity || now < seenAt - clockStepMs) await hasten(now);
    seenAt = now;
    if ((await findEdges(store.db, 1)).length > 0) {
      await store.write((tx) => expandEdges(tx, clock.now()));
      return 0;
    }
    const started = await startDue(now);
    const nextAt = started > 0 ? now : await findNextDeliveryTime(store.db, now);
    return (nextAt ?? Infinity) - now;
  }

  async function hasten(now: number): Promise<void> {
    const latest = Math.round(now + Math.random() * longestFirstWaitMs);
    if ((await findNextDeliveryTime(store.db, latest)) === null) return;
    await store.write((tx) => bringForward(tx, latest));
  }

  async function startDue(now: number): Promise<number> {
    const full = [...new Set(inFlight.values())].filter((id) => openOf(id) >= maxPerChannel);
    const free = maxInFlight - inFlight.size;
    if (free === 0) return 0;
    let started = 0;
    for (const channel of await findDueChannels(store.db, now, { limit: free, except: full })) {
      const limit = Math.min(maxPerChannel - openOf(channel.id), maxInFlight - inFlight.size);
      if (limit <= 0) continue;
      const due = await findDueDeliveries(store.db, channel.id, now, {
        limit,
        except: [...inFlight.keys()],
      });
      // If that fails no attempt is counted.
      if (due.length > 0) parts.egress.prepare();
      for (const delivery of due) start(channel, delivery);
      started += due.length;
    }
    return started;
  }

  function openOf(channelId: string): number {
    return inFlight
      .values()
      .filter((id) => id === channelId)
      .toArray().length;
  }

  function start(channel: DueChannel, delivery: DueDelivery): void {
    inFlight.set(delivery.id, channel.id);
    const attempt = attemptOnce(channel, delivery).finally(() => {
      inFlight.delete(delivery.id);
      ended = ended.filter((other) => other !== attempt);
      loop.wake();
    });
    ended.push(attempt);
  }

  /**
   * Never rejects. What came of an attempt is kept as soon as the store can be written, and until then
   * nothing is sent again.
   */
  async function attemptOnce(channel: DueChannel, delivery: DueDelivery): Promise<void> {
    const { signal } = aborter;
    try {
      const startedAt = clock.now();
      const began = clock.monotonicMs();
      const result = await deliver(channel, delivery, parts, signal);
      const durationMs = Math.round(clock.monotonicMs() - began);
      while (!(await isKept(channel, delivery, { ...result, startedAt, durationMs }))) {
        await setTimeout(keepAgainMs, undefined, { signal });
      }
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error, deliveryId: delivery.id }, 'a delivery broke down');
    }
  }

  async function isKept(
    channel: DueChannel,
    delivery: DueDelivery,
    result: TimedResult,
  ): Promise<boolean> {
    try {
      await keep(channel, delivery, result);
      return true;
    } catch (error) {
      log.error({ err: error, deliveryId: delivery.id }, 'a delivery could not be kept');
      return false;
    }
  }

  async function keep(
    channel: DueChannel,
    delivery: DueDelivery,
    { askedMs, ...result }: TimedResult,
  ): Promise<void> {
    const { error } = result;
    const at = clock.now();
    const attempts = delivery.attempts + 1;
    const nextAt =
      error === null ? null : nextAttemptAt({ ...delivery, attempts }, at, Math.random(), askedMs);
    const attempted = { delivery, at, ...result, nextAttemptAt: nextAt };
    if (!(await store.write((tx) => recordAttempt(tx, attempted)))) return;
    const { id: deliveryId, event } = delivery;
    const about = { deliveryId, channelId: channel.id, channelType: channel.type, event, attempts };
    if (error === null) log.info(about, 'alert delivered');
    else if (nextAt === null) log.error({ ...about, error }, 'alert given up');
    else log.warn({ ...about, error }, 'alert not delivered, will try again');
  }

  return {
    wake: loop.wake,
    get trouble() {
      return loop.trouble;
    },
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      const all = Promise.all(ended);
      await Promise.race([all, setTimeout(drainMs, undefined, { ref: false })]);
      aborter.abort();
      // A mail cannot be called back; it is not waited for.
      await Promise.race([all, setTimeout(afterAbortMs, undefined, { ref: false })]);
    },
  };
}
