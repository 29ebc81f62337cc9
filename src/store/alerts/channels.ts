/** Channels, as people keep them. What the engine delivers is in `delivery-queue.ts`. */

import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Channel, ShownChannel } from '../../domain/alerts/channel.ts';
import { deliveryOf } from './delivery-queue.ts';
import { idList, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';
import type { ChannelRow } from '../database/schema.ts';

/** Keeps a new channel; its config is sealed. */
export async function insertChannel(db: Db, channel: Channel, sealed: string): Promise<void> {
  const { id, workspaceId, type, createdAt } = channel;
  const given = { id, workspace_id: workspaceId, type, created_at: createdAt, sealed };
  await db
    .insertInto('channels')
    .values({ ...given, ...wishesOf(channel) })
    .execute();
}

/** Keeps what people changed of a channel; `sealed` is null to leave its config. */
export async function updateChannel(
  db: Db,
  channel: Channel,
  sealed: string | null,
): Promise<void> {
  await db
    .updateTable('channels')
    .set({ ...wishesOf(channel), ...(sealed !== null && { sealed }) })
    .where('id', '=', channel.id)
    .execute();
}

/** Hides a channel for good; it delivers nothing more. It is removed later, with all it owns. */
export async function markChannelDeleted(db: Db, id: string, now: number): Promise<void> {
  await channelsToDelete(db, now).where('id', '=', id).execute();
}

/** Hides the channels of a workspace, which is deleted, in the same way. */
export async function markChannelsOfDeleted(
  db: Db,
  workspaceId: string,
  now: number,
): Promise<void> {
  await channelsToDelete(db, now).where('workspace_id', '=', workspaceId).execute();
}

function channelsToDelete(db: Db, now: number) {
  return db
    .updateTable('channels')
    .set({ deleted_at: now, enabled: 0, next_delivery_at: null })
    .where('deleted_at', 'is', null);
}

/** The channel with this id in this workspace, or undefined. */
export async function findChannel(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<ShownChannel | undefined> {
  const [channel] = await shownChannels(db, workspaceId, sql`channels.id = ${id}`, 1);
  return channel;
}

/** A page of a workspace's channels, newest first; `before` is the last id of the page before. */
export async function listChannels(
  db: Db,
  workspaceId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<ShownChannel[]> {
  const condition = before === null ? sql`1 = 1` : sql`channels.id < ${before}`;
  return await shownChannels(db, workspaceId, condition, limit);
}

async function shownChannels(
  db: Db,
  workspaceId: string,
  condition: ReturnType<typeof sql>,
  limit: number,
): Promise<ShownChannel[]> {
  const rows = await db
    .selectFrom('channels')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`${condition}`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const elements = rows.map(({ id }) => ({ id }));
  // The newest may wait behind one that gets no answer: the newest that was tried tells why.
  const last = await db
    .selectFrom('deliveries')
    .selectAll()
    .where(
      sql<boolean>`id in (
        select coalesce(
          (select max(id) from deliveries where channel_id = ${textOf('id', 'shown.value')} and attempts > 0),
          (select max(id) from deliveries where channel_id = ${textOf('id', 'shown.value')}))
        from ${rowsOf(elements)} as shown)`,
    )
    .execute();
  const deliveries = new Map(last.map((row) => [row.channel_id, deliveryOf(row)]));
  return rows.map((row) =>
    Object.assign(channelOf(row), { lastDelivery: deliveries.get(row.id) ?? null }),
  );
}

/** How many channels a workspace has. */
export async function countChannels(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('channels')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Channels of a workspace whose ids follow `after`, in that order. */
export async function findChannelsOf(
  db: Db,
  workspaceId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Channel[]> {
  const rows = await db
    .selectFrom('channels')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(channelOf);
}

/** The channel with this id, if it is not deleted. */
export async function findLiveChannel(db: Db, id: string): Promise<Channel | undefined> {
  const row = await db
    .selectFrom('channels')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && channelOf(row);
}

/** The sealed config of a channel. */
export async function findSealedConfig(db: Db, id: string): Promise<string> {
  const { sealed } = await db
    .selectFrom('channels')
    .select('sealed')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return sealed;
}

/** Which of these ids are of no job of the workspace. */
export async function findUnknownSubjects(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  const find = (table: 'jobs' | 'monitors') =>
    db
      .selectFrom(table)
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('deleted_at', 'is', null)
      .where('id', 'in', idList(ids))
      .execute();
  const known = new Set([...(await find('jobs')), ...(await find('monitors'))].map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

function wishesOf({ name, enabled, jobIds, afterFailures }: Channel) {
  return {
    name,
    enabled: enabled ? 1 : 0,
    job_ids: jobIds && JSON.stringify(jobIds),
    after_failures: afterFailures,
  };
}

/** The channel that a row holds. */
function channelOf(row: Omit<Selectable<ChannelRow>, 'sealed'>): Channel {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    type: row.type,
    enabled: row.enabled === 1,
    jobIds: row.job_ids === null ? null : (JSON.parse(row.job_ids) as string[]),
    afterFailures: row.after_failures,
    createdAt: row.created_at,
  };
}
