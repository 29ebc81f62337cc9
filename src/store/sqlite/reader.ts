/** Opens a database as it is: to read it, or to copy it. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { schemaVersion } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import type { Db } from '../database/store.ts';
import { dialectOn } from './connection.ts';
import { openDatabase, openForReading } from './file.ts';
import { unusable, unusableDirectory } from './unusable.ts';

/** The database file of a data directory. */
export function storePath(dataDir: string): string {
  return join(dataDir, 'jobd.db');
}

/** Whether a data directory holds a database; an empty file is none. Throws `unavailable` if this user may not look. */
export function hasDatabase(dataDir: string): boolean {
  try {
    return (statSync(storePath(dataDir), { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch (error) {
    throw unusableDirectory(dataDir, error);
  }
}

/** A database that is only read. */
export interface Reader extends AsyncDisposable {
  readonly db: Db;
}

/**
 * Opens a database to read it as it is, beside a daemon or without one: nothing is made, migrated or
 * changed. Throws `unavailable`, calling the file `name`, if it is no database of jobd.
 */
export async function openReader(path: string, name = path): Promise<Reader> {
  let db: Db | undefined;
  try {
    db = new Kysely<Schema>({ dialect: dialectOn(openForReading(path)) });
    await schemaVersion(db);
  } catch (error) {
    await db?.destroy();
    throw unusable(path, 'read', error, name);
  }
  const opened = db;
  return { db: opened, [Symbol.asyncDispose]: () => opened.destroy() };
}

/**
 * Opens a database as it is, to copy it, to copy another store into it, or to settle what is in it; it is made if there is none.
 * Throws `unavailable`.
 */
export function openFileAsItIs(path: string): Reader {
  const db = new Kysely<Schema>({ dialect: dialectOn(openDatabase(path)) });
  return { db, [Symbol.asyncDispose]: () => db.destroy() };
}
