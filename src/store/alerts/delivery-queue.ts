/**
 * The queue of deliveries, for the engine. Deliveries of one subject to one channel form a line: only the first pending one
 * has a due time, and it makes the next one due when it is over, so that a recovery never overtakes its failure. A channel
 * that is disabled begins a new queue (`channels.queue`): pending deliveries of the old one are not found any more.
 */

import { sql, type Selectable } from 'kysely';
import type { Subject } from '../../domain/alerts/alert.ts';
import { mostDeliveriesKept, mostWaiting, type Delivery } from '../../domain/alerts/delivery.ts';
import type { ChannelType } from '../../domain/alerts/kinds/registry.ts';
import {
  idList,
  joinInOrder,
  larger,
  locksRows,
  numberOf,
  rowLock,
  rowsOf,
  textOf,
} from '../database/dialect.ts';
import { earliest } from '../database/earliest.ts';
import type { Db } from '../database/store.ts';
import type { DeliveryRow } from '../database/schema-alerts.ts';

/** A delivery before its first attempt. */
export interface NewDelivery extends Pick<
  Delivery,
  'id' | 'channelId' | 'event' | 'subject' | 'createdAt'
> {
  /** Its line: that of the job or the monitor, or one of its own by its id. */
  subjectId: string;
  /** The alert as JSON. */
  payload: string;
  /** When it is due if it is the first of its line, in epoch milliseconds. */
  dueAt: number;
}

/**
 * Keeps others from changing the queues of these channels until the transaction ends. Who is first in a line and when a channel
 * is due next are computed from rows that others add and end: to be called before these are read or written.
 */
export async function holdQueues(db: Db, channelIds: readonly string[]): Promise<void> {
  if (!locksRows(db) || channelIds.length === 0) return;
  await db
    .selectFrom('channels')
    .select('id')
    .where('id', 'in', idList([...new Set(channelIds)]))
    .orderBy('id')
    .modifyEnd(rowLock('channels'))
    .execute();
}

/** Adds deliveries, no two of one channel and subject, and only tests to a channel that is off. What is over goes beyond the newest. */
export async function insertDeliveries(
  db: Db,
  added: readonly NewDelivery[],
  kept: number = mostDeliveriesKept,
): Promise<void> {
  if (added.length === 0) return;
  const channelIds = new Set(added.map(({ channelId }) => channelId));
  await holdQueues(db, [...channelIds]);
  const elements = added.map(({ subject, ...one }) => ({
    ...one,
    aboutType: subject?.type ?? null,
    aboutId: subject?.id ?? null,
    aboutName: subject?.name ?? null,
  }));
  const last = sql`(
    select max(open.position) from deliveries as open where open.status = 'pending'
      and open.channel_id = channels.id and open.queue = channels.queue
      and open.subject_id = ${textOf('subjectId')})`;
  await sql`
    insert into deliveries
      (id, channel_id, event, subject_id, about_type, about_id, about_name, payload, status, queue,
       position, next_attempt_at, created_at)
    select ${textOf('id')}, channels.id, ${textOf('event')}, ${textOf('subjectId')},
      ${textOf('aboutType')}, ${textOf('aboutId')}, ${textOf('aboutName')}, ${textOf('payload')},
      'pending', channels.queue, coalesce(${last}, 0) + 1,
      case when ${last} is null then ${numberOf('dueAt')} end, ${numberOf('createdAt')}
    from ${rowsOf(elements)}
    ${joinInOrder} channels on channels.id = ${textOf('channelId')}
    where channels.enabled = 1 or ${textOf('event')} = 'test'`.execute(db);
  for (const channelId of channelIds) {
    await planChannel(db, channelId);
    await sql`
      delete from deliveries where id in (
        select id from deliveries where channel_id = ${channelId} and status <> ${pending} and id <= (
          select id from deliveries where channel_id = ${channelId} order by id desc limit 1 offset ${kept})
        limit ${kept})`.execute(db);
  }
}

/** Deliveries that may have been tried although their rows do not say so. */
export interface MaybeTried {
  /** Attempts that are under way. */
  underWay: readonly string[];
  /** The first of a line may have been tried by an earlier process, unless its id is later than this. */
  startId: string;
}

/** A delivery that a newer one replaces. */
interface Untried {
  /** The id of the newer one. */
  by: string;
  id: string;
  channelId: string;
  queue: number;
  subjectId: string;
  position: number;
  dueAt: number | null;
}

/**
 * Removes what new deliveries replace: in the same line, the delivery of the same event that was never tried, and all after
 * it. So a line has at most two untried ones. Returns the new ones, due when the removed ones were.
 */
export async function replaceUntried(
  db: Db,
  added: readonly NewDelivery[],
  { underWay, startId }: MaybeTried,
): Promise<readonly NewDelivery[]> {
  if (added.length === 0) return added;
  const channelIds = added.map(({ channelId }) => channelId);
  await holdQueues(db, channelIds);
  const ids = added.map(({ id, channelId, subjectId, event }) => ({
    id,
    channelId,
    subjectId,
    event,
  }));
  const { rows } = await sql<Untried>`
    select ${textOf('id')} as "by", untried.id, untried.channel_id as "channelId",
      untried.queue, untried.subject_id as "subjectId", untried.position,
      untried.next_attempt_at as "dueAt"
    from ${rowsOf(ids)}
    ${joinInOrder} channels on channels.id = ${textOf('channelId')}
    ${joinInOrder} deliveries as untried on untried.status = 'pending'
      and untried.channel_id = channels.id and untried.queue = channels.queue
      and untried.subject_id = ${textOf('subjectId')}
    where untried.event = ${textOf('event')} and untried.attempts = 0
      and untried.id not in ${idList(underWay)}
      and (untried.next_attempt_at is null or untried.id > ${startId})
    order by untried.position desc`.execute(db);
  if (rows.length === 0) return added;
  // Of several, the oldest one counts.
  const oldest = new Map(rows.map((row) => [row.by, row]));
  await sql`
    delete from deliveries where id in (
      select behind.id from ${rowsOf([...oldest.values()])}
      ${joinInOrder} deliveries as behind on behind.status = 'pending'
        and behind.channel_id = ${textOf('channelId')} and behind.queue = ${numberOf('queue')}
        and behind.subject_id = ${textOf('subjectId')} and behind.position >= ${numberOf('position')})`.execute(
    db,
  );
  return added.map((one) => ({ ...one, dueAt: oldest.get(one.id)?.dueAt ?? one.dueAt }));
}

/** A channel with something to deliver now. */
export interface DueChannel {
  id: string;
  workspaceId: string;
  name: string;
  type: ChannelType;
  /** Its sealed config. */
  sealed: string;
  /** Consecutive attempts without an answer. */
  unanswered: number;
}

/**
 * Channels with something to deliver at `now`, the longest due first, except these and those of these workspaces:
 * those that people made, or the callbacks of jobs.
 */
export async function findDueChannels(
  db: Db,
  now: number,
  given: {
    limit: number;
    except: readonly string[];
    exceptOf: readonly string[];
    /** Leave out those that gave no answer last. */
    exceptUnanswered?: boolean;
    /** Leave out those of these workspaces that gave no answer last. */
    exceptUnansweredOf?: readonly string[];
    isCallback?: boolean;
  },
): Promise<DueChannel[]> {
  const { exceptUnansweredOf: unansweredOf = [] } = given;
  return await db
    .selectFrom('channels')
    .select(['id', 'workspace_id as workspaceId', 'name', 'type', 'sealed', 'unanswered'])
    .where('next_delivery_at', '<=', now)
    .where('callback_of', given.isCallback === true ? 'is not' : 'is', null)
    .$if(given.exceptUnanswered === true, (query) => query.where('unanswered', '=', 0))
    .$if(unansweredOf.length > 0, (query) =>
      query.where((of) =>
        of.or([of('unanswered', '=', 0), of('workspace_id', 'not in', idList(unansweredOf))]),
      ),
    )
    .where('id', 'not in', idList(given.except))
    .where('workspace_id', 'not in', idList(given.exceptOf))
    .orderBy('next_delivery_at')
    .limit(given.limit)
    .execute();
}

/** A delivery to attempt. */
export interface DueDelivery extends Delivery {
  payload: string;
}

/** Deliveries of a channel that are due at `now`, the longest due first. */
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
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => Object.assign(deliveryOf(row), { payload: row.payload }));
}

/** The ids of the channels of a workspace for which as much waits as they leave free, or more (`mostWaiting`). */
export async function findFull(db: Db, workspaceId: string): Promise<string[]> {
  const count = sql<number>`(
    select count(*) from (
      select 1 from deliveries where status = ${pending} and channel_id = channels.id
        and queue = channels.queue limit ${mostWaiting}) as found)`;
  const waiting = await db
    .selectFrom('channels')
    .select(['id', count.as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('callback_of', 'is', null)
    .execute();
  const free = waiting.reduce((left, row) => left - row.count, mostWaiting);
  return waiting.filter((row) => row.count >= free).map(({ id }) => id);
}

/** When a channel has something to deliver after `now`, in epoch milliseconds; null if none has. */
export async function findNextDeliveryTime(db: Db, now: number): Promise<number | null> {
  return await earliest(db, 'channels', 'next_delivery_at', now);
}

/** Makes the first pending delivery in the line of `endedId` due at `at`, unless it is already. */
export async function makeNextDue(db: Db, endedId: string, at: number): Promise<void> {
  await sql`
    update deliveries set next_attempt_at = ${at}
    where next_attempt_at is null and id = (
      select next.id from deliveries as ended
      ${joinInOrder} deliveries as next on next.status = 'pending'
        and next.channel_id = ended.channel_id and next.queue = ended.queue
        and next.subject_id = ended.subject_id
      where ended.id = ${endedId} order by next.position limit 1)`.execute(db);
}

/** Writes when the channel has something to deliver next. Its queue is held. */
export async function planChannel(db: Db, channelId: string): Promise<void> {
  await sql`
    update channels set next_delivery_at = (
      select ${larger(sql`next_attempt_at`, sql`coalesce(channels.backed_off_until, 0)`)} from deliveries
      where channel_id = channels.id and queue = channels.queue and next_attempt_at is not null
      order by next_attempt_at limit 1)
    where id = ${channelId} and deleted_at is null`.execute(db);
}

/** Ends the back-off of a channel that gave no answer: somebody changed or tests it. */
export async function endBackOff(db: Db, channelId: string): Promise<void> {
  await db
    .updateTable('channels')
    .set({ backed_off_until: null })
    .where('id', '=', channelId)
    .execute();
  // The update holds the queue.
  await planChannel(db, channelId);
}

/** Makes up to `limit` deliveries due at `latest` that are due later, of one channel or of all. Returns how many. */
export async function bringForward(
  db: Db,
  latest: number,
  { limit, channelId }: { limit: number; channelId?: string },
): Promise<number> {
  // Channel by channel: the index of due times begins with the channel.
  const isWanted =
    channelId === undefined ? sql`next_delivery_at is not null` : sql`channels.id = ${channelId}`;
  const { numAffectedRows } = await sql`
    update deliveries set next_attempt_at = ${latest} where id in (
      select deliveries.id from channels ${joinInOrder} deliveries
        on deliveries.channel_id = channels.id
      where ${isWanted}
        and deliveries.queue = channels.queue and deliveries.next_attempt_at > ${latest}
      limit ${limit})`.execute(db);
  await sql`
    update channels set next_delivery_at = ${latest}, backed_off_until = null
    where next_delivery_at > ${latest} and ${isWanted}`.execute(db);
  return Number(numAffectedRows);
}

/** The current queue of a channel. */
export function queueOf(channelId: string) {
  return sql<number>`(select queue from channels where id = ${channelId})`;
}

/** Written as the partial indexes write it, so that they are used. */
export const pending = sql.lit<'pending'>('pending');

/** What people see of a delivery. The alert itself is long. */
export const shownColumns = [
  'id',
  'channel_id',
  'event',
  'about_type',
  'about_id',
  'about_name',
  'status',
  'attempts',
  'last_attempt_at',
  'last_error',
  'created_at',
] as const satisfies readonly (keyof DeliveryRow)[];

type ShownRow = Pick<Selectable<DeliveryRow>, (typeof shownColumns)[number]>;

/** The delivery in a row. */
export function deliveryOf(row: ShownRow): Delivery {
  return {
    id: row.id,
    channelId: row.channel_id,
    event: row.event,
    subject: subjectIn(row),
    status: row.status,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at,
    lastError: row.last_error,
    createdAt: row.created_at,
  };
}

function subjectIn(row: ShownRow): Subject | null {
  const { about_type: type, about_id: id, about_name: name } = row;
  return type === null || id === null ? null : { type, id, name: name ?? '' };
}

/** Counts deliveries of a channel that were given up. */
export async function countFailures(db: Db, channelId: string, many: number): Promise<void> {
  await db
    .updateTable('channels')
    .set((of) => ({ consecutive_failures: of('consecutive_failures', '+', many) }))
    .where('id', '=', channelId)
    .execute();
}
