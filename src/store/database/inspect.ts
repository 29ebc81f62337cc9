/** Queries about the health of a database. */

import { sql } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import type { Store } from './open.ts';
import type { Db } from './schema.ts';
import { statement } from './statement.ts';

const version = statement((db: Db) =>
  sql<{ data_version: number }>`pragma data_version`.compile(db),
);

/**
 * A number that changes when another connection commits, in this process or another one; own writes do not change it.
 * Throws `unavailable` if the store cannot be used now.
 */
export async function dataVersion(db: Db): Promise<number> {
  const [row] = await version(db, {});
  return row?.data_version ?? NaN;
}

/** Tests whether the store can write and sync, without changing a value. Throws `unavailable`. */
export async function probeWrite(store: Store): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable('workspaces')
      .set((of) => ({ name: of.ref('name') }))
      .execute(),
  );
}

/** Up to a hundred descriptions of damage, in SQLite's words; none if the file is sound. */
export async function checkDatabase(db: Db): Promise<string[]> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(100)`.execute(db);
    return rows.map((row) => row.quick_check).filter((words) => words !== 'ok');
  } catch (error) {
    // SQLite stops at some damage instead of listing it.
    if (error instanceof JobdError) return [error.message];
    throw error;
  }
}

/** Active jobs that were due before an instant (epoch milliseconds) and have not been called. */
export async function countOverdueJobs(db: Db, before: number): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('next_run_at', '<', before)
    .where('active_run_id', 'is', null)
    .where('paused', '=', 0)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deliveries made after an instant (epoch milliseconds) that failed for good. */
export async function countFailedDeliveries(db: Db, after: number): Promise<number> {
  const { count } = await db
    .selectFrom('deliveries')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('status', '=', 'failed')
    .where('created_at', '>', after)
    .executeTakeFirstOrThrow();
  return count;
}

/** The pending deliveries of a channel. */
export interface Waiting {
  name: string;
  count: number;
  /** When the oldest was made, in epoch milliseconds. */
  since: number;
}

/** The channel with the oldest pending delivery, if that was made before an instant (epoch milliseconds). */
export async function longestWaiting(db: Db, before: number): Promise<Waiting | undefined> {
  const since = sql<number>`min(deliveries.created_at)`;
  return await db
    .selectFrom('deliveries')
    .innerJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select((of) => ['channels.name', of.fn.countAll<number>().as('count'), since.as('since')])
    .where('deliveries.status', '=', sql.lit<'pending'>('pending'))
    .whereRef('deliveries.queue', '=', 'channels.queue')
    .where('channels.deleted_at', 'is', null)
    .groupBy('channels.id')
    .having(since, '<', before)
    .orderBy(since)
    .limit(1)
    .executeTakeFirst();
}

/** Whether an enabled channel sends email. */
export async function hasMailChannel(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('channels')
    .select('id')
    .where('type', '=', 'email')
    .where('enabled', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** When a job was last called, in epoch milliseconds; null if none was. */
export async function newestCall(db: Db): Promise<number | null> {
  const { newest } = await db
    .selectFrom('jobs')
    .select((of) => of.fn.max('last_run_at').as('newest'))
    .executeTakeFirstOrThrow();
  return newest;
}
