/** Opens the store in a PostgreSQL database. */

import { setTimeout } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import { migrate } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import type { Db, Reserve, Store } from '../database/store.ts';
import { driverOf } from './connection.ts';
import { dialectWith } from './dialect.ts';
import { isWorthRetrying } from './errors.ts';
import { connectionsTo } from './pool.ts';
import { parseDatabaseUrl } from './url.ts';

/** How often work begins anew after another transaction was faster, and the longest wait between. */
const mostTries = 10;
const longestRestMs = 50;

/** The oldest version that is supported. */
const oldestVersion = 14;

/** Opens it. Throws `JobdError` `unavailable` if it cannot be used. */
export async function openPostgres(url: string): Promise<Store> {
  const connections = connectionsTo(parseDatabaseUrl(url));
  const db = new Kysely<Schema>({ dialect: dialectWith(driverOf(connections)) });
  let asked = 0;
  const store: Store = {
    db,
    write: (work) => writePatiently(db, work),
    reserve: noReserve,
    file: null,
    smallWriteMs: 50,
    async sizeBytes() {
      const { rows } = await sql<{ bytes: number }>`
        select pg_database_size(current_database()) as bytes`.execute(db);
      return rows[0]?.bytes ?? 0;
    },
    // Others may always have written.
    othersWrites: async () => (asked += 1),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
  try {
    await requireUsable(db);
    await migrate(store);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return store;
}

/** The server sees to its own disk. */
const noReserve: Reserve = {
  isInUse: false,
  isMissing: false,
  refusal: null,
  keep: async () => {},
  release: async () => {},
  fill: async () => {},
  hasSpaceForRuns: async () => true,
};

async function requireUsable(db: Db): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding`.execute(db);
  const [found] = rows;
  if (found === undefined) return;
  const major = Math.floor(found.version / 10_000);
  if (major < oldestVersion) {
    throw new JobdError(
      'unavailable',
      `the database is PostgreSQL ${major}, jobd needs ${oldestVersion} or newer`,
    );
  }
  if (found.encoding === 'UTF8') return;
  throw new JobdError(
    'unavailable',
    `the database keeps texts as ${found.encoding}, jobd needs UTF8: create database jobd encoding 'UTF8' template template0`,
  );
}

async function writePatiently<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!isWorthRetrying(error) || tries >= mostTries) throw error;
    }
    await setTimeout(Math.random() * longestRestMs);
  }
}
