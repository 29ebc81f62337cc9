/** Deliveries as people see them: made, shown, given up, removed when they are old. */

import { sql } from 'kysely';
import type { Delivery, DeliveryAttempt } from '../../domain/alerts/delivery.ts';
import { deliveryOf, makeNextDue, pending, planChannel, queueOf } from './delivery-queue.ts';
import { idList, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';

/** A delivery before its first attempt. */
export interface NewDelivery extends Pick<Delivery, 'id' | 'channelId' | 'event' | 'createdAt'> {
  /** The job or the monitor; the delivery itself for a test. */
  subjectId: string;
  /** The alert as JSON. */
  payload: string;
  /** Its place in the channel's queue, in epoch milliseconds. It is due once the earlier ones of its subject are over, too. */
  dueAt: number;
}

/** Keeps deliveries, of which no two have the same channel and subject. */
export async function insertDeliveries(db: Db, made: readonly NewDelivery[]): Promise<void> {
  if (made.length === 0) return;
  await sql`
    insert into deliveries
      (id, channel_id, event, subject_id, payload, status, queue, next_attempt_at, created_at)
    select ${textOf('id', 'made.value')}, channels.id, ${textOf('event', 'made.value')},
      ${textOf('subjectId', 'made.value')}, ${textOf('payload', 'made.value')}, 'pending',
      channels.queue, case when exists (
        select 1 from deliveries as open where open.status = 'pending'
          and open.channel_id = channels.id and open.queue = channels.queue
          and open.subject_id = ${textOf('subjectId', 'made.value')})
        then null else ${numberOf('dueAt', 'made.value')} end,
      ${numberOf('createdAt', 'made.value')}
    from ${rowsOf(made)} as made
    cross join channels on channels.id = ${textOf('channelId', 'made.value')}`.execute(db);
  for (const channelId of new Set(made.map((one) => one.channelId))) {
    await planChannel(db, channelId);
  }
}

/** Deliveries that may have been tried though their rows do not say so. */
export interface MaybeTried {
  /** What is tried now. */
  underWay: readonly string[];
  /** What is first in its line may have been tried before this start; later ids were made since. */
  startId: string;
}

/** A delivery that a newer one takes the place of. */
interface Untried {
  /** The id of the newer one. */
  by: string;
  id: string;
  channelId: string;
  queue: number;
  subjectId: string;
  dueAt: number | null;
}

/**
 * Removes what new deliveries take the place of: of their channel and subject the delivery of the same event that was
 * never tried, and the ones after it. So a line has two untried ones at most. Returns the new ones, due when the removed ones were.
 */
export async function removeUntried(
  db: Db,
  made: readonly NewDelivery[],
  { underWay, startId }: MaybeTried,
): Promise<readonly NewDelivery[]> {
  if (made.length === 0) return made;
  const { rows } = await sql<Untried>`
    select ${textOf('id', 'made.value')} as "by", untried.id, untried.channel_id as "channelId",
      untried.queue, untried.subject_id as "subjectId", untried.next_attempt_at as "dueAt"
    from ${rowsOf(made.map(({ id, channelId, subjectId, event }) => ({ id, channelId, subjectId, event })))} as made
    cross join channels on channels.id = ${textOf('channelId', 'made.value')}
    cross join deliveries as untried on untried.status = 'pending'
      and untried.channel_id = channels.id and untried.queue = channels.queue
      and untried.subject_id = ${textOf('subjectId', 'made.value')}
    where untried.event = ${textOf('event', 'made.value')} and untried.attempts = 0
      and untried.id not in ${idList(underWay)}
      and (untried.next_attempt_at is null or untried.id > ${startId})
    order by untried.id desc`.execute(db);
  if (rows.length === 0) return made;
  // The oldest one counts, if there are several.
  const untried = new Map(rows.map((row) => [row.by, row]));
  await sql`
    delete from deliveries where id in (
      select behind.id from ${rowsOf([...untried.values()])} as untried
      cross join deliveries as behind on behind.status = 'pending'
        and behind.channel_id = ${textOf('channelId', 'untried.value')}
        and behind.queue = ${numberOf('queue', 'untried.value')}
        and behind.subject_id = ${textOf('subjectId', 'untried.value')}
        and behind.id >= ${textOf('id', 'untried.value')})`.execute(db);
  return made.map((one) => ({ ...one, dueAt: untried.get(one.id)?.dueAt ?? one.dueAt }));
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
  await settleEndedDeliveries(db, channelId, endedAtOnce);
}

/** The id of a channel with deliveries in queues that are over, or undefined. */
export async function findEndedQueue(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('channels')
    .select('id')
    .where('ended_because', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Marks up to `limit` deliveries of a channel as failed, whose queues are over. Returns how many, and counts the
 * channel too once none is left.
 */
export async function settleEndedDeliveries(
  db: Db,
  channelId: string,
  limit: number,
): Promise<number> {
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

/** The id of a delivery made before `before` (epoch milliseconds) that is still pending, or over; or undefined. */
export async function findOldDelivery(
  db: Db,
  state: 'pending' | 'over',
  before: number,
): Promise<string | undefined> {
  const old = state === 'pending' ? pendingBefore : overBefore;
  return (await old(db, before, 1).executeTakeFirst())?.id;
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

function overBefore(db: Db, before: number, limit: number) {
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
  const old = overBefore(db, before, limit);
  const removed = await db.deleteFrom('deliveries').where('id', 'in', old).executeTakeFirst();
  return Number(removed.numDeletedRows);
}
