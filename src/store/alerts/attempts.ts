/** Attempts: what came of each, and what follows for its delivery, its line and its channel. */

import { spentAlert } from '../../domain/alerts/alert.ts';
import type { DeliveryAttempt } from '../../domain/alerts/delivery.ts';
import {
  bringForward,
  countFailures,
  holdQueues,
  makeNextDue,
  planChannel,
  type DueDelivery,
} from './delivery-queue.ts';
import type { Db } from '../database/store.ts';

/** An attempt that has ended. Times are epoch milliseconds. */
export interface Attempted extends Omit<DeliveryAttempt, 'number'> {
  /** As it was before the attempt. */
  delivery: DueDelivery;
  at: number;
  /** If there was no answer: how often that was so before, and until when the channel is left alone. */
  backOff: { unanswered: number; until: number } | null;
  /** Null if the delivery arrived, or is given up. */
  nextAttemptAt: number | null;
}

/**
 * Records attempts, each once. A delivery that was given up meanwhile stays given up unless it arrived. Returns whether to log
 * each attempt: not if its delivery is gone, was given up, or has this attempt already.
 */
export async function recordAttempts(tx: Db, all: readonly Attempted[]): Promise<boolean[]> {
  // All of them first, and so in one order for everybody.
  const channelIds = all.map(({ delivery }) => delivery.channelId);
  await holdQueues(tx, channelIds);
  const isLogged: boolean[] = [];
  for (const one of all) isLogged.push(await recordOne(tx, one));
  return isLogged;
}

/** The queue of its channel is held. */
async function recordOne(db: Db, attempted: Attempted): Promise<boolean> {
  const { delivery, at, startedAt, durationMs, httpStatus, error, nextAttemptAt } = attempted;
  const { id, channelId } = delivery;
  const before = await settle(db, attempted);
  if (before === null) return false;
  await db
    .insertInto('delivery_attempts')
    .values({
      delivery_id: id,
      number: delivery.attempts + 1,
      started_at: startedAt,
      duration_ms: durationMs,
      http_status: httpStatus,
      error,
    })
    .execute();
  if (nextAttemptAt === null) await makeNextDue(db, id, at);
  await keepBackOff(db, attempted);
  if (error === null) {
    await db
      .updateTable('channels')
      .set({ consecutive_failures: 0 })
      .where('id', '=', channelId)
      .where('consecutive_failures', '>', 0)
      .execute();
    // The other side is there: what waits for it need not wait an hour.
    await bringForward(db, at + hastenedWaitMs, { limit: hastenedAtOnce, channelId });
  } else if (nextAttemptAt === null) await countFailures(db, channelId, 1);
  await planChannel(db, channelId);
  return before === 'pending' || error === null;
}

/** Updates the delivery. Returns its status before; null if nothing was updated. */
async function settle(db: Db, attempted: Attempted): Promise<'pending' | 'failed' | null> {
  const { delivery, at, error, nextAttemptAt } = attempted;
  const update = async (set: object, before: 'pending' | 'failed'): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('deliveries')
      .set({ attempts: delivery.attempts + 1, last_attempt_at: at, ...set })
      .where('id', '=', delivery.id)
      .where('attempts', '=', delivery.attempts)
      .where('status', '=', before)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  };
  const ended = error === null ? 'delivered' : 'failed';
  const status = nextAttemptAt === null ? ended : 'pending';
  const spent = nextAttemptAt === null && { payload: spentAlert(delivery.payload) };
  const settled = { status, next_attempt_at: nextAttemptAt, last_error: error, ...spent };
  if (await update(settled, 'pending')) return 'pending';
  const arrived = error === null ? { status: 'delivered', last_error: null } : {};
  return (await update(arrived, 'failed')) ? 'failed' : null;
}

/** Of attempts that were under way together one counts. An answer ends the back-off. */
async function keepBackOff(db: Db, { delivery, backOff }: Attempted): Promise<void> {
  const update = db.updateTable('channels').where('id', '=', delivery.channelId);
  await (
    backOff === null
      ? update.set({ unanswered: 0, backed_off_until: null }).where('unanswered', '>', 0)
      : update
          .set({ unanswered: backOff.unanswered + 1, backed_off_until: backOff.until })
          .where('unanswered', '=', backOff.unanswered)
  ).execute();
}

/** Not sooner: a delivery that is refused by itself would be sent again and again. */
const hastenedWaitMs = 60_000;

/** Deliveries that one arrival brings forward, so that no transaction writes a hundred thousand. */
const hastenedAtOnce = 100;

/** The attempts of a delivery, the first one first. */
export async function listAttempts(db: Db, deliveryId: string): Promise<DeliveryAttempt[]> {
  return await db
    .selectFrom('delivery_attempts')
    .select(['number', 'error'])
    .select(['started_at as startedAt', 'duration_ms as durationMs', 'http_status as httpStatus'])
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute();
}
