/** Deliveries as people see them: made, shown, given up, removed when they are old. */

import { sql } from 'kysely';
import type { Delivery, DeliveryAttempt } from '../domain/delivery.ts';
import {
  deliveryOf,
  makeNextDue,
  pending,
  pendingIn,
  planChannel,
  queueOf,
} from './delivery-queue.ts';
import { idList } from './dialect.ts';
import type { Db } from './open.ts';

/** A delivery before its first attempt, which is due at once. */
export interface NewDelivery extends Pick<Delivery, 'id' | 'channelId' | 'event' | 'createdAt'> {
  /** The job or the monitor; the delivery itself for a test. */
  subjectId: string;
  /** The alert as JSON. */
  payload: string;
}

/** Keeps a delivery. It is due once the earlier ones of its subject are over; a test is due before all others. */
export async function insertDelivery(db: Db, delivery: NewDelivery): Promise<void> {
  const { channelId, subjectId } = delivery;
  const queue = queueOf(channelId);
  const line = { channelId, queue, subjectId };
  const dueAt = delivery.event === 'test' ? 0 : delivery.createdAt;
  await db
    .insertInto('deliveries')
    .values({
      id: delivery.id,
      channel_id: channelId,
      event: delivery.event,
      subject_id: subjectId,
      payload: delivery.payload,
      status: 'pending',
      queue,
      next_attempt_at: sql<
        number | null
      >`case when exists ${pendingIn(db, line)} then null else ${dueAt} end`,
      created_at: delivery.createdAt,
    })
    .execute();
  await planChannel(db, channelId);
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
    .where('event', '=', sql.lit<'test'>('test'))
    .where('created_at', '>', after)
    .where('created_at', '<=', until)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Pending deliveries that end with the channel's queue; if there are more, the others follow in small steps. */
const endedAtOnce = 100;

/** Gives up what is pending of a channel, at once however much that is; `why` is for people. */
export async function endDeliveries(db: Db, channelId: string, why: string): Promise<void> {
  await db
    .updateTable('channels')
    .set((of) => ({
      queue: of('queue', '+', 1),
      ended_because: why,
      next_delivery_at: null,
      unanswered: 0,
      backed_off_until: null,
    }))
    .where('id', '=', channelId)
    .execute();
  await settleEnded(db, channelId, endedAtOnce);
}

/** Whether there is anything that `settleEndedDeliveries` would settle. */
export async function hasEndedDeliveries(db: Db): Promise<boolean> {
  return (await findWithEnded(db)) !== undefined;
}

/** Writes down of up to `limit` deliveries that they are given up. Returns how many there were, their channel counted too. */
export async function settleEndedDeliveries(db: Db, limit: number): Promise<number> {
  const channel = await findWithEnded(db);
  return channel === undefined ? 0 : await settleEnded(db, channel.id, limit);
}

async function findWithEnded(db: Db): Promise<{ id: string } | undefined> {
  return await db
    .selectFrom('channels')
    .select('id')
    .where('ended_because', 'is not', null)
    .limit(1)
    .executeTakeFirst();
}

async function settleEnded(db: Db, channelId: string, limit: number): Promise<number> {
  const ended = db
    .selectFrom('deliveries')
    .select('id')
    .where('status', '=', pending)
    .where('channel_id', '=', channelId)
    .where('queue', '<', queueOf(channelId))
    .limit(limit);
  const because = sql<string>`(select ended_because from channels where id = ${channelId})`;
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, last_error: because })
    .where('id', 'in', ended)
    .executeTakeFirst();
  const settled = Number(numUpdatedRows);
  if (settled >= limit) return settled;
  await db
    .updateTable('channels')
    .set({ ended_because: null })
    .where('id', '=', channelId)
    .execute();
  return settled + 1;
}

/** Whether there is anything that `endOldDeliveries` would end. */
export async function hasPendingDeliveries(db: Db, before: number): Promise<boolean> {
  return (await pendingBefore(db, before, 1).executeTakeFirst()) !== undefined;
}

/** Gives up to `limit` deliveries up that were made before a moment and are pending still. Returns how many there were. */
export async function endOldDeliveries(db: Db, before: number, limit: number): Promise<number> {
  const old = await pendingBefore(db, before, limit).execute();
  const error = sql<string>`coalesce(last_error, 'its time was over before its channel could be tried')`;
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, last_error: error })
    .where('id', 'in', idList(old.map(({ id }) => id)))
    .execute();
  for (const { channelId, queue, subjectId } of old) {
    await makeNextDue(db, { channelId, queue: sql.val(queue), subjectId }, before);
  }
  for (const channelId of new Set(old.map((row) => row.channelId))) {
    await planChannel(db, channelId);
  }
  return old.length;
}

function pendingBefore(db: Db, before: number, limit: number) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'queue', 'channel_id as channelId', 'subject_id as subjectId'])
    .where('created_at', '<', before)
    .where('status', '=', pending)
    .orderBy('created_at')
    .limit(limit);
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
    .where('status', '<>', pending)
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
