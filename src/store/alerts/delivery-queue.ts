/** The queue of deliveries: what is to be sent to which channel, when, and what came of an attempt. */

import { sql } from 'kysely';
import type { RawBuilder, Selectable } from 'kysely';
import type { ChannelType } from '../../domain/alerts/channel.ts';
import type { Delivery, DeliveryAttempt } from '../../domain/alerts/delivery.ts';
import { idList } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';
import type { DeliveryRow } from '../database/schema.ts';

/** A channel with something to deliver now; `sealed` is its config. */
export interface DueChannel {
  id: string;
  workspaceId: string;
  type: ChannelType;
  sealed: string;
  /** Consecutive attempts that got no answer. */
  unanswered: number;
}

/** Channels with something to deliver at `now`, the longest due first; not these, nor any of these workspaces. */
export async function findDueChannels(
  db: Db,
  now: number,
  {
    limit,
    except,
    exceptOf,
  }: { limit: number; except: readonly string[]; exceptOf: readonly string[] },
): Promise<DueChannel[]> {
  return await db
    .selectFrom('channels')
    .select(['id', 'workspace_id as workspaceId', 'type', 'sealed', 'unanswered'])
    .where('next_delivery_at', '<=', now)
    .where('id', 'not in', idList(except))
    .where('workspace_id', 'not in', idList(exceptOf))
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
    .where('queue', '=', queueOf(channelId))
    .where('next_attempt_at', '<=', now)
    .where('id', 'not in', idList(except))
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute();
  return rows.map((row) => Object.assign(deliveryOf(row), { payload: row.payload }));
}

/** The queue that deliveries of a channel are made from; those of earlier ones are not made any more. */
export function queueOf(channelId: string) {
  return sql<number>`(select queue from channels where id = ${channelId})`;
}

/** The status as the indexes write it, so that they are used. */
export const pending = sql.lit<'pending'>('pending');

/** Deliveries that stand in the same line: of the same subject to the same channel, the first one first. */
export interface Line {
  channelId: string;
  queue: RawBuilder<number>;
  subjectId: string;
}

/** The pending deliveries of a line, each in its turn: a recovery does not overtake its failure. */
function pendingIn(db: Db, { channelId, queue, subjectId }: Line) {
  return db
    .selectFrom('deliveries')
    .select('id')
    .where('status', '=', pending)
    .where('channel_id', '=', channelId)
    .where('queue', '=', queue)
    .where('subject_id', '=', subjectId)
    .orderBy('id')
    .limit(1);
}

/** Lets the next delivery of a line be made from `at` on, as those before it are over. */
export async function makeNextDue(db: Db, line: Line, at: number): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ next_attempt_at: at })
    .where('id', '=', pendingIn(db, line))
    .where('next_attempt_at', 'is', null)
    .execute();
}

/** What came of an attempt. Times are epoch milliseconds. */
export interface Attempted extends Omit<DeliveryAttempt, 'number'> {
  delivery: Delivery;
  at: number;
  /** Until when its channel is left alone, if it gave no answer after `unanswered` others that got none. */
  backOff: { unanswered: number; until: number } | null;
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
  if (attempted.nextAttemptAt === null) await goOn(db, delivery, at);
  await keepBackOff(db, attempted);
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
      .where('status', '=', before)
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

async function goOn(db: Db, { id, channelId }: Delivery, at: number): Promise<void> {
  const row = await db
    .selectFrom('deliveries')
    .select(['queue', 'subject_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const line = { channelId, queue: sql.val(row.queue), subjectId: row.subject_id };
  await makeNextDue(db, line, at);
}

/** Of attempts that were under way together one counts; an answer ends it. */
async function keepBackOff(db: Db, { delivery, backOff }: Attempted): Promise<void> {
  const update = db.updateTable('channels').where('id', '=', delivery.channelId);
  if (backOff === null) {
    await update
      .set({ unanswered: 0, backed_off_until: null })
      .where('unanswered', '>', 0)
      .execute();
    return;
  }
  const { unanswered, until } = backOff;
  await update
    .set({ unanswered: unanswered + 1, backed_off_until: until })
    .where('unanswered', '=', unanswered)
    .execute();
}

/** Lets a channel be tried at once though it gave no answer: somebody changed or tests it. */
export async function endBackOff(db: Db, channelId: string): Promise<void> {
  await db
    .updateTable('channels')
    .set({ backed_off_until: null })
    .where('id', '=', channelId)
    .execute();
  await planChannel(db, channelId);
}

/** Not sooner: what alone is refused would be sent again and again. */
const hastenedWaitMs = 60_000;

/** Deliveries that each one that arrives brings forward: no transaction has to write a hundred thousand. */
const hastenedAtOnce = 100;

async function hasten(db: Db, channelId: string, latest: number): Promise<void> {
  const later = db
    .selectFrom('deliveries')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('queue', '=', queueOf(channelId))
    .where('next_attempt_at', '>', latest)
    .orderBy('next_attempt_at')
    .limit(hastenedAtOnce);
  await db
    .updateTable('deliveries')
    .set({ next_attempt_at: latest })
    .where('id', 'in', later)
    .execute();
}

/**
 * Brings forward what is to be tried later than `latest`, in epoch milliseconds, up to `limit` deliveries. Returns how
 * many there were.
 */
export async function bringForward(db: Db, latest: number, limit: number): Promise<number> {
  // Channel by channel: the index that finds them begins with that.
  const later = sql<string>`(
    select deliveries.id from channels cross join deliveries
    where channels.next_delivery_at is not null and deliveries.channel_id = channels.id
      and deliveries.queue = channels.queue and deliveries.next_attempt_at > ${latest}
    limit ${limit})`;
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({ next_attempt_at: latest })
    .where('id', 'in', later)
    .executeTakeFirst();
  await db
    .updateTable('channels')
    .set({ next_delivery_at: latest, backed_off_until: null })
    .where('next_delivery_at', '>', latest)
    .execute();
  return Number(numUpdatedRows);
}

/** Keeps when the channel has something to deliver next. */
export async function planChannel(db: Db, channelId: string): Promise<void> {
  await sql`
    update channels set next_delivery_at = (
      select max(next_attempt_at, coalesce(channels.backed_off_until, 0)) from deliveries
      where channel_id = channels.id and queue = channels.queue and next_attempt_at is not null
      order by next_attempt_at limit 1)
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
