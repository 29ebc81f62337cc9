/** What channels were alerted of last, and what is held back from them: the memory of domain/damping.ts. */

import type { Selectable } from 'kysely';
import type { Edge } from '../domain/alert.ts';
import { lookAt } from '../domain/damping.ts';
import type { Alerted } from '../domain/damping.ts';
import type { Db } from './open.ts';
import type { AlertedRow } from './schema.ts';

/** What one channel knows of one job or monitor. */
export interface AlertedChannel extends Alerted {
  subjectId: string;
  channelId: string;
}

/** What channels know of a job or monitor, by their ids. */
export async function findAlerted(db: Db, subjectId: string): Promise<Map<string, AlertedChannel>> {
  const rows = await db
    .selectFrom('alerted')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .execute();
  return new Map(rows.map((row) => [row.channel_id, alertedOf(row)]));
}

/** Of what is to be looked at by `now` (epoch milliseconds), the longest due. */
export async function findAlertedToLookAt(
  db: Db,
  now: number,
  limit: number,
): Promise<AlertedChannel[]> {
  const rows = await db
    .selectFrom('alerted')
    .selectAll()
    .where('look_at', '<=', now)
    .orderBy('look_at')
    .limit(limit)
    .execute();
  return rows.map(alertedOf);
}

/** When something is to be looked at next, in epoch milliseconds; null if nothing is. */
export async function findNextLook(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('alerted')
    .select('look_at')
    .where('look_at', 'is not', null)
    .orderBy('look_at')
    .limit(1)
    .executeTakeFirst();
  return row?.look_at ?? null;
}

/** Lets whatever is to be looked at later than `latest` be looked at now: the clock was set back. */
export async function lookSooner(db: Db, now: number, latest: number): Promise<void> {
  await db.updateTable('alerted').set({ look_at: now }).where('look_at', '>', latest).execute();
}

/** Keeps what a channel knows. */
export async function keepAlerted(db: Db, alerted: AlertedChannel): Promise<void> {
  const { subjectId, channelId, health, alerts, changedAt, quietUntil, held } = alerted;
  const values = {
    health,
    alerts,
    changed_at: changedAt,
    quiet_until: quietUntil,
    held: held && JSON.stringify(held),
    look_at: lookAt(alerted),
  };
  await db
    .insertInto('alerted')
    .values({ subject_id: subjectId, channel_id: channelId, ...values })
    .onConflict((conflict) => conflict.columns(['subject_id', 'channel_id']).doUpdateSet(values))
    .execute();
}

/** Forgets what a channel knows of a job or monitor. */
export async function forgetAlerted(
  db: Db,
  { subjectId, channelId }: Pick<AlertedChannel, 'subjectId' | 'channelId'>,
): Promise<void> {
  await db
    .deleteFrom('alerted')
    .where('subject_id', '=', subjectId)
    .where('channel_id', '=', channelId)
    .execute();
}

/** Forgets what all channels know of a job or monitor: it is gone. */
export async function forgetSubject(db: Db, subjectId: string): Promise<void> {
  await db.deleteFrom('alerted').where('subject_id', '=', subjectId).execute();
}

function alertedOf(row: Selectable<AlertedRow>): AlertedChannel {
  return {
    subjectId: row.subject_id,
    channelId: row.channel_id,
    health: row.health,
    alerts: row.alerts,
    changedAt: row.changed_at,
    quietUntil: row.quiet_until,
    held: row.held === null ? null : (JSON.parse(row.held) as Edge),
  };
}
