/**
 * Notify: edges become deliveries, and deliveries are tried until they arrive. Both are found by queries, so
 * that a crash loses none. A channel has a few attempts in flight, all together a bounded number. A workspace may have
 * as many as it leaves to others; a channel that gives no answer is left alone for a while, then tried with one.
 */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { longestMemoryMs } from '../../domain/alerts/damping.ts';
import { attemptsInFlight, backOffUntil, nextAttemptAt } from '../../domain/alerts/delivery.ts';
import type { Log } from '../../log.ts';
import { findNextLook, lookSooner } from '../../store/alerts/alerted.ts';
import {
  bringForward,
  findDueChannels,
  findDueDeliveries,
  findNextDeliveryTime,
  recordAttempt,
} from '../../store/alerts/delivery-queue.ts';
import type { DueChannel, DueDelivery } from '../../store/alerts/delivery-queue.ts';
import type { Store } from '../../store/database/open.ts';
import { clockStepMs } from '../upkeep/clock-watch.ts';
import { deliver } from './deliver.ts';
import type { DelivererParts, Result } from './deliver.ts';
import { createExpander } from './expand.ts';
import { startLoop } from '../loop.ts';
import type { Loop } from '../loop.ts';

export interface NotifierParts extends DelivererParts {
  store: Store;
  clock: Clock;
  log: Log;
}

/** Disposing of it ends the attempts under way: they are made again after the next start. */
export type Notifier = Pick<Loop, 'wake' | 'trouble'> & AsyncDisposable;

/** Attempts that a channel may have in flight: while it gives no answer, one that shows whether it does again. */
function mostOf({ unanswered }: DueChannel): number {
  return unanswered > 0 ? 1 : maxPerChannel;
}

/** What came of an attempt, with when it began and how long it took. */
interface TimedResult extends Result {
  startedAt: number;
  durationMs: number;
}

/** Attempts in flight of one channel. */
const maxPerChannel = 4;
/** Deliveries that one transaction brings forward. */
const broughtAtOnce = 500;
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
  const expander = createExpander(store, clock);
  /** Their channels, by ids of deliveries. */
  const inFlight = new Map<string, DueChannel>();
  let ended: Promise<void>[] = [];
  let seenAt = Infinity;
  const loop = startLoop('notify', step, log);

  async function step(): Promise<number> {
    const now = clock.now();
    if (seenAt === Infinity || now < seenAt - clockStepMs) await hasten(now);
    seenAt = now;
    const made = await makeDeliveries(now);
    const started = await startDue(now);
    if (made + started > 0) return 0;
    const nextAt = (await findNextDeliveryTime(store.db, now)) ?? Infinity;
    return Math.min(nextAt, (await findNextLook(store.db)) ?? Infinity) - now;
  }

  async function makeDeliveries(now: number): Promise<number> {
    const underWay = [...inFlight.keys()];
    const expanded = await expander.expand(underWay);
    const isLookDue = ((await findNextLook(store.db)) ?? Infinity) <= now;
    return expanded + (isLookDue ? await expander.release(underWay) : 0);
  }

  async function hasten(now: number): Promise<void> {
    const latest = Math.round(now + Math.random() * longestFirstWaitMs);
    if ((await findNextLook(store.db)) !== null) {
      await store.write((tx) => lookSooner(tx, now, now + longestMemoryMs));
    }
    if ((await findNextDeliveryTime(store.db, latest)) === null) return;
    while ((await store.write((tx) => bringForward(tx, latest, broughtAtOnce))) > 0);
  }

  /** Starts what is due, channel after channel, until nothing is or no attempt is free. */
  async function startDue(now: number): Promise<number> {
    const tried = new Set([...inFlight.values()].filter(isFull).map(({ id }) => id));
    let started = 0;
    while (inFlight.size < attemptsInFlight) {
      const due = await findDueChannels(store.db, now, {
        limit: attemptsInFlight - inFlight.size,
        except: [...tried],
        exceptOf: [...inFlight.values()].map((one) => one.workspaceId).filter(isSated),
      });
      if (due.length === 0) break;
      for (const channel of due) {
        tried.add(channel.id);
        started += await startDueOf(channel, now);
      }
    }
    return started;
  }

  async function startDueOf(channel: DueChannel, now: number): Promise<number> {
    const limit = Math.min(
      mostOf(channel) - openOf((other) => other.id === channel.id),
      roomOf(channel.workspaceId),
    );
    if (limit <= 0) return 0;
    const except = [...inFlight.keys()];
    const due = await findDueDeliveries(store.db, channel.id, now, { limit, except });
    // If that fails no attempt is counted.
    if (due.length > 0) parts.egress.prepare();
    for (const delivery of due) start(channel, delivery);
    return due.length;
  }

  /** Attempts that a workspace may still begin: it has no more than it leaves free, whatever others need later. */
  function roomOf(workspaceId: string): number {
    const free = attemptsInFlight - inFlight.size;
    return Math.ceil((free - openOf((channel) => channel.workspaceId === workspaceId)) / 2);
  }

  function isSated(workspaceId: string): boolean {
    return roomOf(workspaceId) <= 0;
  }

  function isFull(channel: DueChannel): boolean {
    return openOf(({ id }) => id === channel.id) >= mostOf(channel);
  }

  function openOf(isCounted: (channel: DueChannel) => boolean): number {
    return inFlight.values().filter(isCounted).toArray().length;
  }

  function start(channel: DueChannel, delivery: DueDelivery): void {
    inFlight.set(delivery.id, channel);
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
    { askedMs, isFinal, isAnswered, ...result }: TimedResult,
  ): Promise<void> {
    const { error } = result;
    const at = clock.now();
    const attempts = delivery.attempts + 1;
    const isOver = error === null || isFinal;
    const nextAt = isOver
      ? null
      : nextAttemptAt({ ...delivery, attempts }, at, Math.random(), askedMs);
    const { unanswered } = channel;
    const backOff = isAnswered ? null : { unanswered, until: backOffUntil(unanswered + 1, at) };
    const attempted = { delivery, at, ...result, nextAttemptAt: nextAt, backOff };
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
