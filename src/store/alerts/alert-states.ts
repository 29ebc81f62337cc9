/** What channels know about jobs and monitors: the memory of domain/alerts/damping.ts. */

import { sql, type Selectable } from 'kysely';
import { dueAt, type AlertState } from '../../domain/alerts/damping.ts';
import { heldChange, type HealthChange } from '../../domain/alerts/health-change.ts';
import { idList, locksRows, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import { earliest } from '../database/earliest.ts';
import type { Db } from '../database/store.ts';
import type { AlertStateRow } from '../database/schema-alerts.ts';
import { holdQueues } from './delivery-queue.ts';

/** A channel and a job or monitor. */
export interface Pair {
  subjectId: string;
  channelId: string;
}

export interface KeptState extends AlertState, Pair {}

/** What these channels know about these jobs and monitors. What follows from it is written while their queues are held. */
export async function findAlertStates(
  db: Db,
  subjectIds: readonly string[],
  channelIds: readonly string[],
): Promise<KeptState[]> {
  const rows = await db
    .selectFrom('alert_states')
    .selectAll()
    .where('subject_id', 'in', idList(subjectIds))
    .where('channel_id', 'in', idList(channelIds))
    .execute();
  return rows.map(stateOf);
}

/** States due at `now` (epoch milliseconds), the longest due first. In a transaction the queues of their channels are held. */
export async function findDueStates(db: Db, now: number, limit: number): Promise<KeptState[]> {
  const query = db
    .selectFrom('alert_states')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  const found = await query.execute();
  if (!locksRows(db)) return found.map(stateOf);
  const channelIds = found.map((row) => row.channel_id);
  await holdQueues(db, channelIds);
  // As they are now that nobody changes them.
  return (await query.where('channel_id', 'in', idList(channelIds)).execute()).map(stateOf);
}

/**
 * Puts off until a time what is held back for these channels and due at `now`, the longest due first, up to `limit`. Their queues are
 * held.
 */
export async function putOff(
  tx: Db,
  channelIds: readonly string[],
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<void> {
  if (channelIds.length === 0) return;
  const due = tx
    .selectFrom('alert_states')
    .select(['subject_id', 'channel_id'])
    .where('due_at', '<=', now)
    .where('held', 'is not', null)
    .where('channel_id', 'in', idList(channelIds))
    .orderBy('due_at')
    .limit(limit);
  const isDue = sql<boolean>`(subject_id, channel_id) in (${due})`;
  await tx.updateTable('alert_states').set({ due_at: until }).where(isDue).execute();
}

/** When the next state is due, in epoch milliseconds; null if none is. */
export async function findNextStateTime(db: Db): Promise<number | null> {
  return await earliest(db, 'alert_states', 'due_at');
}

/** Makes states due now that are due later than `latest`: the clock was set back. */
export async function makeStatesDue(db: Db, now: number, latest: number): Promise<void> {
  await db.updateTable('alert_states').set({ due_at: now }).where('due_at', '>', latest).execute();
}

/** Writes states. */
export async function keepAlertStates(db: Db, states: readonly KeptState[]): Promise<void> {
  if (states.length === 0) return;
  const elements = states.map((state) => ({
    ...state,
    held: state.held && heldChange(state.held),
    dueAt: dueAt(state),
  }));
  // Without the condition SQLite reads `on conflict` as part of a join.
  await sql`
    insert into alert_states
      (subject_id, channel_id, health, alerts, changed_at, quiet_until, held, due_at)
    select ${textOf('subjectId')}, ${textOf('channelId')}, ${textOf('health')},
      ${numberOf('alerts')}, ${numberOf('changedAt')}, ${numberOf('quietUntil')},
      ${textOf('held')}, ${numberOf('dueAt')}
    from ${rowsOf(elements)} where true
    on conflict (subject_id, channel_id) do update set
      health = excluded.health, alerts = excluded.alerts, changed_at = excluded.changed_at,
      quiet_until = excluded.quiet_until, held = excluded.held, due_at = excluded.due_at`.execute(
    db,
  );
}

/** Forgets what a channel knows about a job or monitor. */
export async function forgetAlertState(db: Db, { subjectId, channelId }: Pair): Promise<void> {
  await db
    .deleteFrom('alert_states')
    .where('subject_id', '=', subjectId)
    .where('channel_id', '=', channelId)
    .execute();
}

function stateOf(row: Selectable<AlertStateRow>): KeptState {
  return {
    subjectId: row.subject_id,
    channelId: row.channel_id,
    health: row.health,
    alerts: row.alerts,
    changedAt: row.changed_at,
    quietUntil: row.quiet_until,
    held: row.held === null ? null : (JSON.parse(row.held) as HealthChange),
  };
}
