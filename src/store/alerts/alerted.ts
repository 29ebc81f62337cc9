/** What channels were alerted of last, and what is held back from them: the memory of domain/alerts/damping.ts. */

import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Edge } from '../../domain/alerts/alert.ts';
import { lookAt } from '../../domain/alerts/damping.ts';
import type { Alerted } from '../../domain/alerts/damping.ts';
import { idList, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';
import type { AlertedRow } from '../database/schema.ts';

/** What one channel knows of one job or monitor. */
export interface AlertedChannel extends Alerted {
  subjectId: string;
  channelId: string;
}

/** A text for a channel and a job or monitor. */
export function keyOfAlerted({
  subjectId,
  channelId,
}: Pick<AlertedChannel, 'subjectId' | 'channelId'>): string {
  return `${subjectId} ${channelId}`;
}

/** What these channels know of these jobs and monitors, by `keyOfAlerted`. */
export async function findAlerted(
  db: Db,
  subjectIds: readonly string[],
  channelIds: readonly string[],
): Promise<Map<string, AlertedChannel>> {
  const rows = await db
    .selectFrom('alerted')
    .selectAll()
    .where('subject_id', 'in', idList(subjectIds))
    .where('channel_id', 'in', idList(channelIds))
    .execute();
  return new Map(rows.map(alertedOf).map((alerted) => [keyOfAlerted(alerted), alerted]));
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

/** Keeps what channels know. */
export async function keepAlerted(db: Db, all: readonly AlertedChannel[]): Promise<void> {
  if (all.length === 0) return;
  const elements = all.map((alerted) => ({
    ...alerted,
    held: alerted.held && JSON.stringify(alerted.held),
    lookAt: lookAt(alerted),
  }));
  await db
    .insertInto('alerted')
    .columns([
      'subject_id',
      'channel_id',
      'health',
      'alerts',
      'changed_at',
      'quiet_until',
      'held',
      'look_at',
    ])
    .expression((of) =>
      of
        .selectFrom(rowsOf(elements).as('known'))
        .select([
          textOf('subjectId').as('subject_id'),
          textOf('channelId').as('channel_id'),
          textOf('health').$castTo<'up' | 'down'>().as('health'),
          numberOf('alerts').as('alerts'),
          numberOf('changedAt').as('changed_at'),
          numberOf('quietUntil').as('quiet_until'),
          textOf('held').as('held'),
          numberOf('lookAt').as('look_at'),
        ])
        // Without it SQLite takes what follows for the condition of a join.
        .where(sql.lit(true)),
    )
    .onConflict((conflict) =>
      conflict.columns(['subject_id', 'channel_id']).doUpdateSet((of) => ({
        health: of.ref('excluded.health'),
        alerts: of.ref('excluded.alerts'),
        changed_at: of.ref('excluded.changed_at'),
        quiet_until: of.ref('excluded.quiet_until'),
        held: of.ref('excluded.held'),
        look_at: of.ref('excluded.look_at'),
      })),
    )
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
