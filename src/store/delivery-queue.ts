/** The queue of deliveries: what is to be sent to which channel, when, and what came of an attempt. */

import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { ChannelType } from '../domain/channel.ts';
import type { Delivery, DeliveryAttempt } from '../domain/delivery.ts';
import { idList } from './dialect.ts';
import type { Db } from './open.ts';
import type { DeliveryRow } from './schema.ts';

/** A channel with something to deliver now; `sealed` is its config. */
export interface DueChannel {
  id: string;
  workspaceId: string;
  type: ChannelType;
  sealed: string;
}

/** Channels with something to deliver at `now`, the longest due first. */
export async function findDueChannels(
  db: Db,
  now: number,
  { limit, except }: { limit: number; except: readonly string[] },
): Promise<DueChannel[]> {
  return await db
    .selectFrom('channels')
    .select(['id', 'workspace_id as workspaceId', 'type', 'sealed'])
    .where('next_delivery_at', '<=', now)
    .where('id', 'not in', idList(except))
    .orderBy('next_delivery_at')
    .limit(limit)
    .execute();
}

/** A delivery to make. */
export interface DueDelivery extends Delivery {
  payload: string;
}

/** What of a channel is to be delivered at `now`, the longest due first. */
export async function findDueDeliveries(
  db: Db,
  channelId: string,
  now: number,
  { limit, except }: { limit: number; except: readonly string[] },
): Promise<DueDelivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('channel_id', '=', channelId)
    .where(isFirst)
    .where('next_attempt_at', '<=', now)
    .where('id', 'not in', idList(except))
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute();
  return rows.map((row) => Object.assign(deliveryOf(row), { payload: row.payload }));
}

/**
 * Pending, and no earlier alert of the same job is: a recovery does not overtake its failure. The status is
 * written as in the index, so that it is used.
 */
const isFirst = sql<boolean>`deliveries.status = 'pending' and not exists (
  select 1 from deliveries as earlier
  where earlier.status = 'pending' and earlier.channel_id = deliveries.channel_id
    and earlier.subject_id = deliveries.subject_id and earlier.id < deliveries.id)`;

/** What came of an attempt. Times are epoch milliseconds. */
export interface Attempted extends Omit<DeliveryAttempt, 'number'> {
  delivery: Delivery;
  at: number;
  /** Null if it arrived, or is given up. */
  nextAttemptAt: number | null;
}

/**
 * Keeps what came of an attempt, once. What was given up while it was under way stays given up, unless it
 * arrived. Returns whether there is something to tell: not where the delivery is gone, was given up, or has this
 * attempt already.
 */
export async function recordAttempt(db: Db, attempted: Attempted): Promise<boolean> {
  const { delivery, at, error } = attempted;
  const settled = await settleDelivery(db, attempted);
  if (settled === 'not') return false;
  await insertAttempt(db, attempted);
  // The other side is there: what waits for it need not wait out its hour.
  if (error === null) await hasten(db, delivery.channelId, at + hastenedWaitMs);
  await planChannel(db, delivery.channelId);
  return settled === 'pending' || error === null;
}

/** Returns what the delivery was before, or that nothing was kept. */
async function settleDelivery(db: Db, attempted: Attempted): Promise<'pending' | 'failed' | 'not'> {
  const { delivery, at, error, nextAttemptAt } = attempted;
  const kept = { attempts: delivery.attempts + 1, last_attempt_at: at };
  const ended = error === null ? 'delivered' : 'failed';
  const status = nextAttemptAt === null ? ended : 'pending';
  const update = (set: object, before: 'pending' | 'failed') =>
    db
      .updateTable('deliveries')
      .set({ ...kept, ...set })
      .where('id', '=', delivery.id)
      .where('attempts', '=', delivery.attempts)
      .where('status', '=', sql.lit<'pending' | 'failed'>(before))
      .executeTakeFirst();
  const settled = { status, next_attempt_at: nextAttemptAt, last_error: error };
  if ((await update(settled, 'pending')).numUpdatedRows === 1n) return 'pending';
  const arrived = error === null && { status: 'delivered', last_error: null };
  return (await update({ ...arrived }, 'failed')).numUpdatedRows === 1n ? 'failed' : 'not';
}

async function insertAttempt(db: Db, attempted: Attempted): Promise<void> {
  const { delivery, startedAt, durationMs, httpStatus, error } = attempted;
  await db
    .insertInto('delivery_attempts')
    .values({
      delivery_id: delivery.id,
      number: delivery.attempts + 1,
      started_at: startedAt,
      duration_ms: durationMs,
      http_status: httpStatus,
      error,
    })
    .execute();
}

/** Not sooner: what alone is refused would be sent again and again. */
const hastenedWaitMs = 60_000;

async function hasten(db: Db, channelId: string, latest: number): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ next_attempt_at: latest })
    .where('channel_id', '=', channelId)
    .where('status', '=', sql.lit<'pending'>('pending'))
    .where('next_attempt_at', '>', latest)
    .execute();
}

/** Brings forward whatever is to be tried later than `latest`, in epoch milliseconds. */
export async function bringForward(db: Db, latest: number): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ next_attempt_at: latest })
    .where('status', '=', sql.lit<'pending'>('pending'))
    .where('next_attempt_at', '>', latest)
    .execute();
  await db
    .updateTable('channels')
    .set({ next_delivery_at: latest })
    .where('next_delivery_at', '>', latest)
    .execute();
}

/** Keeps when the channel has something to deliver next. */
export async function planChannel(db: Db, channelId: string): Promise<void> {
  await sql`
    update channels set next_delivery_at = (
      select min(next_attempt_at) from deliveries where channel_id = channels.id and ${isFirst})
    where id = ${channelId} and deleted_at is null`.execute(db);
}

/** When a channel after `now` has something to deliver, in epoch milliseconds; null if none has. */
export async function findNextDeliveryTime(db: Db, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('channels')
    .select('next_delivery_at')
    .where('next_delivery_at', '>', now)
    .orderBy('next_delivery_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_delivery_at ?? null;
}

/** The delivery that a row holds. */
export function deliveryOf(row: Selectable<DeliveryRow>): Delivery {
  return {
    id: row.id,
    channelId: row.channel_id,
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at,
    lastError: row.last_error,
    createdAt: row.created_at,
  };
}
