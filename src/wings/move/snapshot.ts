/** One view of a whole store that nobody serves, for as long as it is copied. */

import { sql } from 'kysely';
import type { Db } from '../../store/database/schema.ts';
import { isShared } from '../../store/database/statement.ts';

/** Runs `work` in a transaction that sees the store as at its beginning. Nobody begins to serve it, nobody else writes to a file. */
export async function inSnapshot<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await db.transaction().execute(async (tx) => {
    if (isShared(tx)) {
      await sql`set transaction isolation level repeatable read`.execute(tx);
      // The other side may keep this transaction waiting.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      // A process that wants to serve it writes here first.
      await sql`lock table nodes in share mode`.execute(tx);
    }
    return await work(tx);
  });
}
