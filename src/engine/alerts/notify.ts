/** Notify: health changes become deliveries, tried until they arrive, for a day. Steps find their work by queries: no crash loses any. */

import { longestMemoryMs } from '../../domain/alerts/damping.ts';
import { attemptsInFlight, restAfter } from '../../domain/alerts/delivery.ts';
import { findNextStateTime, makeStatesDue } from '../../store/alerts/alert-states.ts';
import {
  bringForward,
  findDueChannels,
  findDueDeliveries,
  findNextDeliveryTime,
} from '../../store/alerts/delivery-queue.ts';
import { bringDigestsForward, findNextDigestTime } from '../../store/alerts/digests.ts';
import { startLoop, type Loop } from '../loop.ts';
import { onDuty } from '../nodes/membership.ts';
import { clockStepMs } from '../clock-watch.ts';
import { createAttempts, type Attempts, type NotifierParts } from './attempts.ts';
import { sendDigests } from './digests.ts';
import { createExpander } from './expand.ts';

/** Disposing of it ends the attempts in flight; the next start repeats them. */
export type Notifier = Pick<Loop, 'wake' | 'failure'> & AsyncDisposable;

/** Deliveries that one transaction brings forward. */
const broughtAtOnce = 500;
/** After a start, and after the wall clock was set back, pending deliveries are attempted within this. */
const longestFirstWaitMs = 30_000;

/** Starts to deliver. */
export function startNotifier(parts: NotifierParts): Notifier {
  const { store, clock, membership } = parts;
  let expander = createExpander(store, clock);
  const onEnd = (): void => loop.wake();
  const alerts = createAttempts(parts, attemptsInFlight.alerts, onEnd);
  const callbacks = createAttempts(parts, attemptsInFlight.callbacks, onEnd);
  let seenAt = Infinity;
  let restsUntil = -Infinity;
  const loop = startLoop('notify', onDuty(membership, step), parts);

  async function step(begins: boolean): Promise<number> {
    const now = clock.now();
    if (begins) expander = createExpander(store, clock);
    if (seenAt === Infinity || now < seenAt - clockStepMs) await distrustTimes(parts, now);
    seenAt = now;
    const restMs = await makeDeliveries(now);
    const started =
      (await startDue(parts, alerts, { now, isCallback: false })) +
      (await startDue(parts, callbacks, { now, isCallback: true }));
    if (started > 0) return 0;
    const deliveryAt = (await findNextDeliveryTime(store.db, now)) ?? Infinity;
    return Math.min(deliveryAt - now, restMs);
  }

  /** Does some, unless it rests from that. Returns for how long there is nothing to do. */
  async function makeDeliveries(now: number): Promise<number> {
    const began = clock.monotonicMs();
    if (began < restsUntil) return restsUntil - began;
    const underWay = alerts.deliveryIds();
    const expanded = await expander.expand(underWay);
    const stateAt = (await findNextStateTime(store.db)) ?? Infinity;
    const released = stateAt <= now ? await expander.release(underWay) : 0;
    const digestAt = (await findNextDigestTime(store.db)) ?? Infinity;
    const digests = digestAt <= now ? await store.write((tx) => sendDigests(tx, now)) : 0;
    if (expanded + released + digests === 0) return Math.min(stateAt, digestAt) - now;
    const restMs = restAfter(clock.monotonicMs() - began, attemptsInFlight.alerts.rests);
    restsUntil = clock.monotonicMs() + restMs;
    return restMs;
  }

  return {
    wake: loop.wake,
    get failure() {
      return loop.failure;
    },
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await Promise.all([alerts[Symbol.asyncDispose](), callbacks[Symbol.asyncDispose]()]);
    },
  };
}

/** Makes what is due much later due soon: the wall clock may have been wrong when that was written. */
async function distrustTimes({ store, random }: NotifierParts, now: number): Promise<void> {
  const latest = Math.round(now + random() * longestFirstWaitMs);
  if ((await findNextStateTime(store.db)) !== null) {
    await store.write((tx) => makeStatesDue(tx, now, now + longestMemoryMs));
  }
  if ((await findNextDigestTime(store.db)) !== null) {
    await store.write((tx) => bringDigestsForward(tx, now));
  }
  if ((await findNextDeliveryTime(store.db, latest)) === null) return;
  while ((await store.write((tx) => bringForward(tx, latest, { limit: broughtAtOnce }))) > 0);
}

/** Starts due attempts of channels, or of callbacks, one by one, until none is due or none is free. Returns how many. */
async function startDue(
  { store, egress }: NotifierParts,
  attempts: Attempts,
  { now, isCallback }: { now: number; isCallback: boolean },
): Promise<number> {
  const visited = new Set(attempts.full().channels);
  let started = 0;
  while (attempts.free() > 0) {
    const { workspaces, isUnansweredFull, unansweredOf } = attempts.full();
    const channels = await findDueChannels(store.db, now, {
      isCallback,
      exceptUnanswered: isUnansweredFull,
      exceptUnansweredOf: unansweredOf,
      limit: attempts.free(),
      except: [...visited],
      exceptOf: workspaces,
    });
    if (channels.length === 0) break;
    for (const channel of channels) {
      visited.add(channel.id);
      const limit = attempts.freeFor(channel);
      if (limit <= 0) continue;
      const except = attempts.deliveryIds();
      const due = await findDueDeliveries(store.db, channel.id, now, { limit, except });
      // If this throws, no attempt is counted.
      if (due.length > 0) egress.prepare();
      for (const delivery of due) attempts.start(channel, delivery);
      started += due.length;
    }
  }
  return started;
}
