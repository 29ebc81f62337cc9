/** Channels, as people keep them. What the engine delivers is in `delivery-queue.ts`. */

import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Channel, ShownChannel } from '../domain/channel.ts';
import { deliveryOf } from './delivery-queue.ts';
import { rowsOf, textOf } from './dialect.ts';
import type { Db } from './open.ts';
import type { ChannelRow } from './schema.ts';

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

/** Removes a channel with its deliveries. */
export async function removeChannel(db: Db, id: string): Promise<void> {
  await db.deleteFrom('told').where('channel_id', '=', id).execute();
  await db.deleteFrom('deliveries').where('channel_id', '=', id).execute();
  await db.deleteFrom('channels').where('id', '=', id).execute();
}

/** Lets the channels of a workspace, which is deleted, deliver nothing more. */
export async function disableChannelsOf(db: Db, workspaceId: string): Promise<void> {
  await db
    .updateTable('channels')
    .set({ enabled: 0, next_delivery_at: null })
    .where('workspace_id', '=', workspaceId)
    .execute();
}

/** Removes what a workspace has of alerts. */
export async function removeChannelsOf(db: Db, workspaceId: string): Promise<void> {
  for (const { id } of await findChannelsOf(db, workspaceId)) await removeChannel(db, id);
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
    .where(sql<boolean>`${condition}`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const elements = rows.map(({ id }) => ({ id }));
  const last = await db
    .selectFrom('deliveries')
    .selectAll()
    .where(
      sql<boolean>`id in (
        select (select max(id) from deliveries where channel_id = ${textOf('id', 'shown.value')})
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
    .executeTakeFirstOrThrow();
  return count;
}

/** All channels of a workspace. */
export async function findChannelsOf(db: Db, workspaceId: string): Promise<Channel[]> {
  const rows = await db
    .selectFrom('channels')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute();
  return rows.map(channelOf);
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
  const elements = ids.map((id) => ({ id }));
  const isAsked = sql<boolean>`id in (select ${textOf('id')} from ${rowsOf(elements)})`;
  const find = (table: 'jobs' | 'monitors') =>
    db
      .selectFrom(table)
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('deleted_at', 'is', null)
      .where(isAsked)
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
export function channelOf(row: Omit<Selectable<ChannelRow>, 'sealed'>): Channel {
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
