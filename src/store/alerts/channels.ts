import { sql, type Selection } from 'kysely';
import { channelFields, type AlsoOn } from '../../domain/alerts/fields.ts';
import type { Channel, KeptChannel } from '../../domain/alerts/channel.ts';
import { labelsIn, type Labels } from '../../domain/labels.ts';
import { deliveryOf } from './delivery-queue.ts';
import { columnsFor, selectionOf, toRow } from '../database/columns.ts';
import { countOf } from '../database/count.ts';
import { idList, rowsOf, textOf } from '../database/dialect.ts';
import { onPage, type NamedPage } from '../database/named.ts';
import type { Db } from '../database/store.ts';
import type { Schema } from '../database/schema.ts';

/** Set once. */
const fixed = {
  id: 'id',
  workspaceId: 'workspace_id',
  type: 'type',
  createdAt: 'created_at',
} as const;

/** What people set, but for the config. */
const editable = columnsFor(channelFields);

const columns = selectionOf({ ...fixed, ...editable });
const kept = [
  ...columns,
  ...selectionOf({
    sealed: 'sealed',
    consecutiveFailures: 'consecutive_failures',
    backedOffUntil: 'backed_off_until',
    nextDeliveryAt: 'next_delivery_at',
  }),
];

function channelOf(row: Selection<Schema, 'channels', (typeof columns)[number]>): Channel {
  const { jobIds, monitorIds, alsoOn } = row;
  return {
    ...row,
    enabled: row.enabled === 1,
    jobIds: idsIn(jobIds),
    monitorIds: idsIn(monitorIds),
    alsoOn: JSON.parse(alsoOn) as AlsoOn[],
  };
}

function idsIn(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]);
}

/** Adds a channel; `sealed` is its config. */
export async function insertChannel(db: Db, channel: Channel, sealed: string): Promise<void> {
  const row = { ...toRow({ ...fixed, ...editable }, channel), sealed };
  await db.insertInto('channels').values(row).execute();
}

/** Writes what people changed. `sealed` is null to keep the config. */
export async function updateChannel(
  db: Db,
  channel: Channel,
  sealed: string | null,
): Promise<void> {
  await db
    .updateTable('channels')
    .set({ ...toRow(editable, channel), ...(sealed !== null && { sealed }) })
    .where('id', '=', channel.id)
    .execute();
}

/** Hides a channel for good; it delivers nothing more. It is removed later, with all it owns. */
export async function markChannelDeleted(db: Db, id: string, now: number): Promise<void> {
  await markDeleted(db, now).where('id', '=', id).execute();
}

/** Does the same to all channels of a deleted workspace. */
export async function markChannelsOfDeleted(
  db: Db,
  workspaceId: string,
  now: number,
): Promise<void> {
  await markDeleted(db, now).where('workspace_id', '=', workspaceId).execute();
}

function markDeleted(db: Db, now: number) {
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
): Promise<KeptChannel | undefined> {
  const rows = await channelsOf(db, workspaceId).select(kept).where('id', '=', id).execute();
  const [channel] = await withLastDelivery(db, rows);
  return channel;
}

/** A page of a workspace's channels, newest first. */
export async function listChannels(
  db: Db,
  workspaceId: string,
  page: NamedPage,
): Promise<KeptChannel[]> {
  const rows = await channelsOf(db, workspaceId)
    .select(kept)
    .where(onPage(page))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
  return await withLastDelivery(db, rows);
}

/** Those that people made; the callbacks of jobs are in `callbacks.ts`. */
function channelsOf(db: Db, workspaceId: string) {
  return db
    .selectFrom('channels')
    .where('workspace_id', '=', workspaceId)
    .where('callback_of', 'is', null)
    .where('deleted_at', 'is', null);
}

/**
 * Adds the newest delivery that was tried to each channel, else the newest. The newest of all may wait for one that gets no
 * answer; the newest that was tried says why.
 */
async function withLastDelivery(
  db: Db,
  rows: readonly Selection<Schema, 'channels', (typeof kept)[number]>[],
): Promise<KeptChannel[]> {
  const shown = rowsOf(rows.map(({ id }) => ({ id })));
  const channelId = textOf('id');
  const last = await db
    .selectFrom('deliveries')
    .selectAll()
    .where(
      sql<boolean>`id in (
        select coalesce(
          (select max(id) from deliveries where channel_id = ${channelId} and attempts > 0),
          (select max(id) from deliveries where channel_id = ${channelId}))
        from ${shown})`,
    )
    .execute();
  const deliveries = new Map(last.map((row) => [row.channel_id, deliveryOf(row)]));
  return rows.map(({ sealed, consecutiveFailures, backedOffUntil, nextDeliveryAt, ...row }) => {
    const lastDelivery = deliveries.get(row.id) ?? null;
    const isTried = lastDelivery?.status === 'pending' && lastDelivery.attempts > 0;
    const nextAttemptAt = isTried ? nextDeliveryAt : backedOffUntil;
    return { ...channelOf(row), sealed, lastDelivery, consecutiveFailures, nextAttemptAt };
  });
}

/** How many channels a workspace has. */
export async function countChannels(db: Db, workspaceId: string): Promise<number> {
  return await countOf(channelsOf(db, workspaceId));
}

/** Channels of a workspace whose ids follow `after`, in that order. */
export async function findChannelsOf(
  db: Db,
  workspaceId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Channel[]> {
  const query = channelsOf(db, workspaceId).select(columns).where('id', '>', after);
  return (await query.orderBy('id').limit(limit).execute()).map(channelOf);
}

/** Channels of these workspaces that are on and ask for alerts of missed or interrupted runs. */
export async function findChannelsAlsoOn(
  db: Db,
  word: AlsoOn,
  workspaceIds: readonly string[],
): Promise<Channel[]> {
  const rows = await db
    .selectFrom('channels')
    .select(columns)
    .where('workspace_id', 'in', idList(workspaceIds))
    .where('also_on', '<>', sql.lit('[]'))
    .where('enabled', '=', 1)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(channelOf).filter(({ alsoOn }) => alsoOn.includes(word));
}

/** The labels of these jobs and monitors, by id, if one of the channels chooses by labels; those without any are absent. */
export async function findLabelsFor(
  db: Db,
  channels: readonly Pick<Channel, 'selector'>[],
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, Labels>> {
  return channels.every(({ selector }) => selector === null)
    ? new Map()
    : await findLabels(db, subjectIds);
}

/** The labels of these jobs and monitors, by id; those without any are absent. */
export async function findLabels(
  db: Db,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, Labels>> {
  const labelled = (table: 'jobs' | 'monitors') =>
    db
      .selectFrom(table)
      .select(['id', 'labels'])
      .where('id', 'in', idList(subjectIds))
      .where('labels', 'is not', null);
  const rows = await labelled('jobs').unionAll(labelled('monitors')).execute();
  return new Map(rows.map(({ id, labels }) => [id, labelsIn(labels) ?? {}]));
}

/** The channel with this id, unless it is deleted. */
export async function findLiveChannel(db: Db, id: string): Promise<Channel | undefined> {
  const row = await db
    .selectFrom('channels')
    .select(columns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && channelOf(row);
}

/** Those of these ids that are no job, or no monitor, of the workspace. */
export async function findUnknownSubjects(
  db: Db,
  table: 'jobs' | 'monitors',
  { workspaceId, ids }: { workspaceId: string; ids: readonly string[] },
): Promise<string[]> {
  const found = await db
    .selectFrom(table)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .where('id', 'in', idList(ids))
    .execute();
  const known = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}
