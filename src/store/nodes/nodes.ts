/** The processes that serve a database on a server. Each has a lease, by the clock of the database, and renews it. */

import { sql } from 'kysely';
import { databaseNow, lockNodes } from '../database/dialect.ts';
import type { Db, Store } from '../database/store.ts';

/** A process that serves the database. */
export interface Node {
  id: string;
  host: string;
  pid: number;
  version: string;
}

/** A process whose lease has not ended. Times are epoch milliseconds. */
export interface LiveNode extends Node {
  startedAt: number;
  expiresAt: number;
}

/** Those whose lease has not ended, the oldest first. */
export async function findLiveNodes(db: Db): Promise<LiveNode[]> {
  return await db
    .selectFrom('nodes')
    .select(['id', 'host', 'pid', 'version', 'started_at as startedAt', 'expires_at as expiresAt'])
    .where('expires_at', '>', databaseNow)
    .orderBy('id')
    .execute();
}

/** Gives a process a lease if no other has one. Returns the other that has; null if it was given. */
export async function addNodeIfAlone(
  store: Store,
  { id, host, pid, version }: Node,
  leaseMs: number,
): Promise<LiveNode | null> {
  return await store.write(async (tx) => {
    await sql`${lockNodes}`.execute(tx);
    // A commit without an answer may have stored its own.
    const other = (await findLiveNodes(tx)).find((live) => live.id !== id);
    if (other !== undefined) return other;
    await tx.deleteFrom('nodes').execute();
    const times = { started_at: databaseNow, expires_at: sql<number>`${databaseNow} + ${leaseMs}` };
    await tx
      .insertInto('nodes')
      .values({ id, host, pid, version, ...times })
      .execute();
    return null;
  });
}

/** Renews a lease. Returns false if the process has none any more: another one was given the database. */
export async function renewNode(store: Store, id: string, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await store.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ expires_at: sql<number>`${databaseNow} + ${leaseMs}` })
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

/** Ends a lease. */
export async function removeNode(store: Store, id: string): Promise<void> {
  await store.write((tx) => tx.deleteFrom('nodes').where('id', '=', id).execute());
}
