/** Deliveries as people see them: shown, given up, and removed when they are old. */

import { sql, type RawBuilder } from 'kysely';
import { spentAlert } from '../../domain/alerts/alert.ts';
import { firstIdAt } from '../../domain/id.ts';
import type { Delivery, NamedDelivery } from '../../domain/alerts/delivery.ts';
import {
  countFailures,
  deliveryOf,
  holdQueues,
  makeNextDue,
  pending,
  planChannel,
  queueOf,
  shownColumns,
  type DueDelivery,
} from './delivery-queue.ts';
import { joinFound, rowsOf, textOf } from '../database/dialect.ts';
import { onPage, type NamedPage } from '../database/named.ts';
import type { Db } from '../database/store.ts';

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

export interface DeliveryPage extends Pick<NamedPage, 'limit' | 'before' | 'idPrefix'> {
  /** The job or monitor that they are about; null for all. */
  subjectId: string | null;
}

/** A page of a channel's deliveries, newest first. */
export async function listDeliveries(
  db: Db,
  channelId: string,
  page: DeliveryPage,
): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select(shownColumns)
    .where(isOnPage(sql`${channelId}`, page))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
  return rows.map(deliveryOf);
}

/**
 * A page of the deliveries of a workspace's channels, newest first. It reads a page of each channel, so it meets nobody else's
 * deliveries, and needs no index of its own: a workspace has 100 channels at most.
 */
export async function listDeliveriesOfWorkspace(
  db: Db,
  workspaceId: string,
  page: DeliveryPage,
): Promise<NamedDelivery[]> {
  const wanted = isOnPage(sql.ref('channels.id'), page);
  const rows = await ofChannels(db, workspaceId, wanted, ['desc', page.limit]).execute();
  return rows.map((row) => Object.assign(deliveryOf(row), { channelName: row.channelName }));
}

/**
 * The first deliveries about a job that were made from a time on, in all channels of its workspace, with their alerts as JSON.
 * It reads up to `limit` of each channel.
 */
export async function listDeliveriesAbout(
  db: Db,
  { workspaceId, subjectId }: { workspaceId: string; subjectId: string },
  { from, limit }: { from: number; limit: number },
): Promise<(NamedDelivery & { payload: string })[]> {
  const wanted = sql<boolean>`channel_id = ${sql.ref('channels.id')}
    and about_id = ${subjectId} and id >= ${firstIdAt(from)}`;
  const found = ofChannels(db, workspaceId, wanted, ['asc', limit]);
  const rows = await found.select('deliveries.payload').execute();
  return rows.map(({ channelName, payload, ...row }) =>
    Object.assign(deliveryOf(row), { channelName, payload }),
  );
}

/** Up to `limit` of the deliveries of a workspace's channels, of each as many are read. `wanted` are those of a channel. */
function ofChannels(
  db: Db,
  workspaceId: string,
  wanted: RawBuilder<boolean>,
  [order, limit]: [order: 'asc' | 'desc', limit: number],
) {
  const inOrder = sql`${sql.raw(order)} limit ${limit}`;
  const found = sql`select id from deliveries where ${wanted} order by id ${inOrder}`;
  const ids = sql<string>`(
    select wanted.id from channels ${joinFound('deliveries', 'wanted', found)}
    where channels.workspace_id = ${workspaceId} and channels.callback_of is null
      and channels.deleted_at is null
    order by wanted.id ${inOrder})`;
  return db
    .selectFrom('deliveries')
    .innerJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select(shownColumns.map((column) => `deliveries.${column}` as const))
    .select('channels.name as channelName')
    .where('deliveries.id', 'in', ids)
    .orderBy('deliveries.id', order);
}

/** The condition of a page of a channel's deliveries. */
export function isOnPage(
  channelId: RawBuilder<unknown>,
  { subjectId, ...page }: DeliveryPage,
): RawBuilder<boolean> {
  const isAbout = subjectId === null ? sql`` : sql`and about_id = ${subjectId}`;
  return sql<boolean>`(channel_id = ${channelId} ${isAbout} and ${onPage({ ...page, name: null })})`;
}

/** When a channel was last tested in (after, until], epoch milliseconds; undefined if it was not. */
export async function findTestIn(
  db: Db,
  channelId: string,
  after: number,
  until: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .select('created_at as at')
    .where('channel_id', '=', channelId)
    .where('event', '=', sql.lit<'test'>('test'))
    .where('created_at', '>', after)
    .where('created_at', '<=', until)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/** Deliveries that are marked as given up at once. The pruner marks the rest in small steps. */
const endedAtOnce = 100;

/** Gives up all pending deliveries of a channel, however many, by beginning a new queue. `why` is for people. */
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

/** Marks up to `limit` deliveries as failed whose queues are over. Returns how many; counts the channel too once none is left. */
export async function settleEndedDeliveries(
  db: Db,
  channelId: string,
  limit: number,
): Promise<number> {
  // Another queue may be ending.
  await holdQueues(db, [channelId]);
  const ended = await db
    .selectFrom('deliveries')
    .select(['id', 'payload'])
    .where('status', '=', pending)
    .where('channel_id', '=', channelId)
    .where('queue', '<', queueOf(channelId))
    .limit(limit)
    .execute();
  const because = sql<string>`(select ended_because from channels where id = ${channelId})`;
  await giveUp(db, ended, because);
  if (ended.length >= limit) return ended.length;
  await db
    .updateTable('channels')
    .set({ ended_because: null })
    .where('id', '=', channelId)
    .execute();
  return ended.length + 1;
}

/** The id of a delivery made before `before` (epoch milliseconds) that is still pending, or undefined. */
export async function findOldDelivery(db: Db, before: number): Promise<string | undefined> {
  return (await pendingBefore(db, before, 1).executeTakeFirst())?.id;
}

/** Gives up to `limit` deliveries up that are still pending and older than `before`. Returns how many. */
export async function endOldDeliveries(db: Db, before: number, limit: number): Promise<number> {
  const old = await pendingBefore(db, before, limit).execute();
  const channelIds = old.map(({ channelId }) => channelId);
  await holdQueues(db, channelIds);
  const error = sql<string>`coalesce(last_error, 'its time was over before its channel could be tried')`;
  await giveUp(db, old, error);
  for (const { id } of old) await makeNextDue(db, id, before);
  for (const [channelId, its = []] of Map.groupBy(old, (row) => row.channelId)) {
    await countFailures(db, channelId, its.length);
    await planChannel(db, channelId);
  }
  return old.length;
}

/** Ends these deliveries, unless they arrived meanwhile. */
export async function giveUp(
  db: Db,
  ended: readonly Pick<DueDelivery, 'id' | 'payload'>[],
  error: RawBuilder<string>,
): Promise<void> {
  const spent = ended.map(({ id, payload }) => ({ id, payload: spentAlert(payload) }));
  await sql`
    update deliveries set status = 'failed', next_attempt_at = null, last_error = ${error},
      payload = ${textOf('payload')}
    from ${rowsOf(spent)}
    where deliveries.id = ${textOf('id')} and status = ${pending}`.execute(db);
}

function pendingBefore(db: Db, before: number, limit: number) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'channel_id as channelId', 'payload'])
    .where('created_at', '<', before)
    .where('status', '=', pending)
    .orderBy('created_at')
    .limit(limit);
}
