/** Tries what a daemon does, and takes it back. */

import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';

/** Does work in a transaction that is rolled back. */
export async function rolledBack<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute();
  try {
    return await work(tx);
  } finally {
    await tx.rollback().execute();
  }
}

/** Writes a row that stays as it is. Throws what the server says if it refuses. */
export async function tryWrite(db: Db): Promise<void> {
  await rolledBack(db, (tx) => sql`update instance set id = id`.execute(tx));
}
