/** Digests: what channels are to hear of many runs or subjects at once (domain/alerts/digest.ts). */

import { sql } from 'kysely';
import type { DownSubject } from '../../domain/alerts/alert.ts';
import type { Channel } from '../../domain/alerts/channel.ts';
import { digestPauseMs, mostNamed } from '../../domain/alerts/digest.ts';
import type { DigestEvent, Gathered } from '../../domain/alerts/digest.ts';
import { isoTimeOrNull } from '../../domain/clock.ts';
import { readSelector } from '../../domain/labels.ts';
import { whyDown } from '../../domain/monitors/status.ts';
import { holdQueues } from './delivery-queue.ts';
import {
  idList,
  joinInOrder,
  locksRows,
  numberOf,
  rowsOf,
  smaller,
  textOf,
} from '../database/dialect.ts';
import { earliest } from '../database/earliest.ts';
import { labelsFit } from '../database/labels.ts';
import type { Db } from '../database/store.ts';

/** A digest of one kind for one channel. Times are epoch milliseconds. */
export interface Digest {
  channelId: string;
  event: DigestEvent;
  /** Runs that are not reported yet. */
  gathered: Gathered | null;
  quietUntil: number;
  /** The last one that was made. */
  deliveryId: string | null;
  dueAt: number | null;
}

/** The digests of one kind of these channels. In a transaction nobody else gathers for them, or sends, until it ends. */
export async function findDigests(
  db: Db,
  event: DigestEvent,
  channelIds: readonly string[],
): Promise<Digest[]> {
  await holdQueues(db, channelIds);
  const rows = await digestsIn(db)
    .where('channel_id', 'in', idList(channelIds))
    .where('event', '=', event)
    .execute();
  return rows.map(digestOf);
}

/** Digests that are due at `now` (epoch milliseconds), the longest due first. In a transaction they are held in the same way. */
export async function findDueDigests(db: Db, now: number, limit: number): Promise<Digest[]> {
  const query = digestsIn(db).where('due_at', '<=', now).orderBy('due_at').limit(limit);
  const found = await query.execute();
  if (!locksRows(db)) return found.map(digestOf);
  const ids = found.map(({ channelId }) => channelId);
  await holdQueues(db, ids);
  // As they are now that nobody changes them.
  return (await query.where('channel_id', 'in', idList(ids)).execute()).map(digestOf);
}

function digestsIn(db: Db) {
  return db
    .selectFrom('digests')
    .select(['channel_id as channelId', 'event', 'gathered'])
    .select(['quiet_until as quietUntil', 'delivery_id as deliveryId', 'due_at as dueAt']);
}

function digestOf(row: Omit<Digest, 'gathered'> & { gathered: string | null }): Digest {
  const gathered = row.gathered === null ? null : (JSON.parse(row.gathered) as Gathered);
  return { ...row, gathered };
}

/** When the next digest is due, in epoch milliseconds; null if none is. */
export async function findNextDigestTime(db: Db): Promise<number | null> {
  return await earliest(db, 'digests', 'due_at');
}

/** Brings forward digests that are due later than they can be: the clock was set back. */
export async function bringDigestsForward(db: Db, now: number): Promise<void> {
  const latest = sql<number>`${now} + case event when 'reminder' then coalesce(
    (select remind_every_seconds * 1000 from channels where channels.id = channel_id), 0)
    else ${digestPauseMs} end`;
  await db
    .updateTable('digests')
    .set({ due_at: latest })
    .where('due_at', '>', now)
    .where('due_at', '>', latest)
    .execute();
}

/** Writes digests. */
export async function keepDigests(db: Db, digests: readonly Digest[]): Promise<void> {
  if (digests.length === 0) return;
  const elements = digests.map((digest) => ({
    ...digest,
    gathered: digest.gathered && JSON.stringify(digest.gathered),
  }));
  // Without the condition SQLite reads `on conflict` as part of a join.
  await sql`
    insert into digests (channel_id, event, gathered, quiet_until, delivery_id, due_at)
    select ${textOf('channelId')}, ${textOf('event')}, ${textOf('gathered')},
      ${numberOf('quietUntil')}, ${textOf('deliveryId')}, ${numberOf('dueAt')}
    from ${rowsOf(elements)} where true
    on conflict (channel_id, event) do update set
      gathered = excluded.gathered, quiet_until = excluded.quiet_until,
      delivery_id = excluded.delivery_id, due_at = excluded.due_at`.execute(db);
}

export interface ReminderTime {
  channelId: string;
  /** Epoch milliseconds. */
  dueAt: number;
}

/** Plans reminders. One that is due earlier stays, unless it is to be `moved`. */
export async function planReminders(
  db: Db,
  times: readonly ReminderTime[],
  { moved }: { moved: boolean } = { moved: false },
): Promise<void> {
  if (times.length === 0) return;
  const dueAt = moved
    ? sql`excluded.due_at`
    : smaller(sql`coalesce(digests.due_at, excluded.due_at)`, sql`excluded.due_at`);
  await sql`
    insert into digests (channel_id, event, due_at)
    select ${textOf('channelId')}, 'reminder', ${numberOf('dueAt')}
    from ${rowsOf(times)} where true
    on conflict (channel_id, event) do update set due_at = ${dueAt}`.execute(db);
}

/** Forgets the digests of a channel. */
export async function removeDigests(db: Db, channelId: string): Promise<void> {
  await db.deleteFrom('digests').where('channel_id', '=', channelId).execute();
}

/** Whether a delivery still waits to arrive. */
export async function isDeliveryPending(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('deliveries')
    .innerJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select('deliveries.id')
    .where('deliveries.id', '=', id)
    .where('deliveries.status', '=', 'pending')
    .whereRef('deliveries.queue', '=', 'channels.queue')
    .executeTakeFirst();
  return row !== undefined;
}

/** The ids of what a channel was alerted of and has not recovered since. */
export async function listKnownFailures(db: Db, channelId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('alert_states')
    .select('subject_id')
    .where('channel_id', '=', channelId)
    .where('health', '=', 'down')
    .execute();
  return rows.map(({ subject_id: id }) => id);
}

/** What a channel serves and knows to be down. */
export interface KnownDown {
  count: number;
  /** The first few, those first that the channel has known for longest. */
  first: DownSubject[];
  /** Since when it has known the first one, in epoch milliseconds. */
  knownSince: number;
}

interface DownRow extends Omit<DownSubject, 'since'> {
  since: number | null;
  missedDueAt: number | null;
  knownSince: number;
  count: number;
}

/** What a channel was alerted of and is down now; null if nothing is. Without `jobs`, only monitors count. */
export async function findKnownDown(
  db: Db,
  channel: Pick<Channel, 'id' | 'jobIds' | 'monitorIds' | 'selector'>,
  { jobs, except = [] }: { jobs: boolean; except?: readonly string[] },
): Promise<KnownDown | null> {
  const { id, jobIds, monitorIds, selector } = channel;
  const fitting = selector === null ? sql`true` : labelsFit(readSelector(selector));
  const isFit = sql`${fitting} and subject_id not in ${idList(except)}`;
  const { rows } = await sql<DownRow>`
    select *, count(*) over () as "count" from (
      select 'job' as "type", jobs.id, jobs.name, failing_since as "since", failures,
        down_reason as "reason", null as "missedDueAt", changed_at as "knownSince"
      from alert_states ${joinInOrder} jobs on jobs.id = subject_id
      where channel_id = ${id} and alert_states.health = 'down' and ${isIn(jobs ? jobIds : [])}
        and ${isFit}
        and jobs.health = 'down' and paused = 0 and deleted_at is null
      union all
      select 'monitor', monitors.id, monitors.name, health_since, null, null, missed_due_at,
        changed_at
      from alert_states ${joinInOrder} monitors on monitors.id = subject_id
      where channel_id = ${id} and alert_states.health = 'down' and ${isIn(monitorIds)}
        and ${isFit}
        and monitors.health = 'down' and paused = 0 and deleted_at is null) as known
    order by "knownSince" limit ${mostNamed}`.execute(db);
  const [longest] = rows;
  if (longest === undefined) return null;
  const first = rows.map(({ type, id: subjectId, name, since, failures, missedDueAt, ...row }) => {
    const reason = type === 'monitor' ? whyDown(isoTimeOrNull(missedDueAt)) : row.reason;
    return { type, id: subjectId, name, since: isoTimeOrNull(since), failures, reason };
  });
  return { count: longest.count, first, knownSince: longest.knownSince };
}

function isIn(ids: readonly string[] | null) {
  return ids === null ? sql`true` : sql`subject_id in ${idList(ids)}`;
}

/** The names of these jobs, by id; deleted ones are absent. */
export async function findJobNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'name'])
    .where('id', 'in', idList(ids))
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
