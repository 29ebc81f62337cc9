/** Queries about the health of a database. */

import { sql } from 'kysely';
import { countOf } from './count.ts';
import type { Store } from './store.ts';
import type { Db } from './schema.ts';

/** Tests whether the store can write and sync, by one row that stays as it is. Throws `unavailable`. */
export async function probeWrite(store: Store): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable('instance')
      .set((of) => ({ id: of.ref('id') }))
      .execute(),
  );
}

/** Jobs that were due before an instant (epoch milliseconds) and have not been called: one that is paused or deleted is never due. */
export async function countOverdueJobs(db: Db, before: number): Promise<number> {
  const overdue = db
    .selectFrom('jobs')
    .where('next_run_at', '<', before)
    .where('active_run_id', 'is', null);
  return await countOf(overdue);
}

/** What is delivered: alerts to channels, or the results of jobs to their `onResult`. */
export type Delivered = 'alerts' | 'results';

/** Deliveries made after an instant (epoch milliseconds) that failed for good. */
export async function countFailedDeliveries(
  db: Db,
  what: Delivered,
  after: number,
): Promise<number> {
  const failed = db
    .selectFrom('deliveries')
    .where('status', '=', 'failed')
    .where('event', what === 'results' ? '=' : '<>', 'run.finished')
    .where('created_at', '>', after);
  return await countOf(failed);
}

/** The pending deliveries of a channel, or of a job. */
export interface Waiting {
  name: string;
  count: number;
  /** When the oldest was made, in epoch milliseconds. */
  since: number;
}

/** The channel or job with the oldest pending delivery, if that was made before an instant (epoch milliseconds). */
export async function longestWaiting(
  db: Db,
  what: Delivered,
  before: number,
): Promise<Waiting | undefined> {
  const since = sql<number>`min(deliveries.created_at)`;
  return await db
    .selectFrom('deliveries')
    .innerJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select((of) => ['channels.name', of.fn.countAll<number>().as('count'), since.as('since')])
    .where('deliveries.status', '=', sql.lit<'pending'>('pending'))
    .whereRef('deliveries.queue', '=', 'channels.queue')
    .where('channels.callback_of', what === 'results' ? 'is not' : 'is', null)
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
