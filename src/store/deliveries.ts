/** Deliveries as people see them: made, shown, given up, removed when they are old. */

import { sql } from 'kysely';
import type { Delivery, DeliveryAttempt } from '../domain/delivery.ts';
import { deliveryOf, planChannel } from './delivery-queue.ts';
import type { Db } from './open.ts';

/** A delivery before its first attempt, which is due at once. */
export interface NewDelivery extends Pick<Delivery, 'id' | 'channelId' | 'event' | 'createdAt'> {
  /** The job or the monitor; the delivery itself for a test. */
  subjectId: string;
  /** The alert as JSON. */
  payload: string;
}

/** Keeps a delivery that is due at once. */
export async function insertDelivery(db: Db, delivery: NewDelivery): Promise<void> {
  await db
    .insertInto('deliveries')
    .values({
      id: delivery.id,
      channel_id: delivery.channelId,
      event: delivery.event,
      subject_id: delivery.subjectId,
      payload: delivery.payload,
      status: 'pending',
      next_attempt_at: delivery.createdAt,
      created_at: delivery.createdAt,
    })
    .execute();
  await planChannel(db, delivery.channelId);
}

/** The delivery with this id of this channel, or undefined. */
export async function findDelivery(
  db: Db,
  channelId: string,
  id: string,
): Promise<Delivery | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
  return row && deliveryOf(row);
}

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

/** A page of a channel's deliveries, newest first; `before` is the last id of the page before. */
export async function listDeliveries(
  db: Db,
  channelId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<Delivery[]> {
  let query = db
    .selectFrom('deliveries')
    .selectAll()
    .where('channel_id', '=', channelId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== null) query = query.where('id', '<', before);
  return (await query.execute()).map(deliveryOf);
}

/** Whether a channel was tested in (after, until], epoch milliseconds. */
export async function hasTestIn(
  db: Db,
  channelId: string,
  after: number,
  until: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('deliveries')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('event', '=', 'test')
    .where('created_at', '>', after)
    .where('created_at', '<=', until)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives up what is pending of a channel; `why` is for people. */
export async function endDeliveries(db: Db, channelId: string, why: string): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, last_error: why })
    .where('channel_id', '=', channelId)
    .where('status', '=', sql.lit<'pending'>('pending'))
    .execute();
  await planChannel(db, channelId);
}

/** Whether there is anything that `removeOldDeliveries` would remove. */
export async function hasOldDeliveries(db: Db, before: number): Promise<boolean> {
  return (await oldDeliveries(db, before, 1).executeTakeFirst()) !== undefined;
}

function oldDeliveries(db: Db, before: number, limit: number) {
  return db
    .selectFrom('deliveries')
    .select('id')
    .where('created_at', '<', before)
    .where('status', '<>', 'pending')
    .orderBy('created_at')
    .limit(limit);
}

/**
 * Removes up to `limit` deliveries that were made before a moment and are over. Returns how many were
 * removed.
 */
export async function removeOldDeliveries(db: Db, before: number, limit: number): Promise<number> {
  const old = oldDeliveries(db, before, limit);
  const removed = await db.deleteFrom('deliveries').where('id', 'in', old).executeTakeFirst();
  return Number(removed.numDeletedRows);
}
