/** Opens the store, and runs what must happen together as one transaction. */

import { join } from 'node:path';
import { Kysely } from 'kysely';
import { JobdError } from '../domain/errors.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

/** What every store function asks: the database itself, or a transaction of it. */
export type Db = Kysely<Schema>;

/** An open store. */
export interface Store extends AsyncDisposable {
  /** For questions and facts that stand alone. */
  readonly db: Db;
  /** Runs `work` in one writing transaction: all of it is kept, or, if it throws, none. */
  write<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

/** The database file of a data directory. */
export function storePath(dataDir: string): string {
  return join(dataDir, 'jobd.db');
}

/**
 * Opens the store in a data directory, making it or bringing it up to date where needed. Throws
 * `JobdError` `unavailable`, naming the file, if the database cannot be opened.
 */
export async function openStore(dataDir: string): Promise<Store> {
  const path = storePath(dataDir);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(path) });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw openingError(path, error);
  }
  return {
    db,
    write: (work) => db.transaction().execute(work),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

function openingError(path: string, error: unknown): Error {
  if (error instanceof JobdError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new JobdError('unavailable', `${path} cannot be opened: ${why}`, { cause: error });
}
