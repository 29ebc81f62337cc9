/** A look at the store for the requests of one turn of the event loop, and whether others have written since the last one. */

import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { atOnce } from './at-once.ts';
import type { Db } from './open.ts';
import { statement } from './statement.ts';

const version = statement((db: Db) =>
  sql<{ data_version: number }>`pragma data_version`.compile(db),
);

/**
 * Makes what looks at the store for requests. Those that arrive in one turn of the event loop share a look, which begins when
 * all of them are there, so that none sees the store as it was before it arrived. What they then ask sees it as of the look
 * (`SqliteConnection.look`).
 *
 * Resolves with a number that changes whenever another connection, in this process or another one, has committed something; what
 * this one writes does not change it (SQLite's documentation of `data_version`). Rejects with `unavailable` if the store cannot be used now.
 */
export function createLook(db: Db): () => Promise<number> {
  let next: Promise<number> | undefined;

  async function look(): Promise<number> {
    // What comes in this turn is read before this goes on (libuv: poll, then check).
    await setImmediate();
    next = undefined;
    atOnce(db)?.look();
    const [row] = await version(db, {});
    return row?.data_version ?? NaN;
  }

  return () => (next ??= look());
}
