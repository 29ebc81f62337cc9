/** How files of SQLite are opened: who may read them, and how they are written. */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { JobdError, systemCode } from '../../domain/errors.ts';
import { makeFile } from '../../base/whole-file.ts';
import { loadAddon } from './addon.ts';
import { SqliteConnection } from './connection.ts';
import { unusable } from './unusable.ts';

/** How long opening waits for another process that opens the file. */
const openingTimeoutMs = 2_000;
/** How long a statement waits for another process. The wait blocks this process, so it is short; `store.write` tries again. */
const busyTimeoutMs = 5;

/** Functions in the schema of a file must not have side effects. */
const distrust = 'trusted_schema = off';

/** Opens a database to read it; the file must be there, and is not changed. */
export function openForReading(path: string): SqliteConnection {
  const database = new Database(path, { readonly: true, ...addonOption(dirname(path)) });
  database.pragma(distrust);
  return new SqliteConnection(database);
}

/** Opens an empty database in memory. */
export function openInMemory(): SqliteConnection {
  return new SqliteConnection(new Database(':memory:', addonOption('')));
}

/**
 * Opens a file that only its owner can read; a statement waits `timeoutMs` for another process. Throws
 * `JobdError` `unavailable`, naming the file, if it cannot be read and written.
 */
export function openFile(path: string, timeoutMs: number): Database.Database {
  try {
    makeDirectory(dirname(path));
    createOwnersFile(path);
    // SQLite would open what cannot be written for reading only, and hold no locks on it.
    accessSync(path, constants.R_OK | constants.W_OK);
    return new Database(path, { timeout: timeoutMs, ...addonOption(dirname(path)) });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') {
      throw new JobdError('unavailable', `${dirname(path)} is not a directory`, { cause: error });
    }
    throw unusable(path, 'opened', error);
  }
}

/** SQLite's page cache. A larger one gained nothing in a storm. */
const cacheKib = 8 * 1024;
/** The write-ahead log is cut to this after it had to be longer. */
const longestLogBytes = 16 * 1024 * 1024;

/**
 * Opens a database, made with its directory if it is not there: with a write-ahead log that is synced at every commit. Throws
 * `unavailable`, naming the file, if it cannot be opened.
 */
export function openDatabase(path: string): SqliteConnection {
  const database = openFile(path, openingTimeoutMs);
  try {
    configure(database);
    return new SqliteConnection(database);
  } catch (error) {
    database.close();
    throw unusable(path, 'opened', error);
  }
}

function configure(database: Database.Database): void {
  // So that a new file can give back space step by step (`space.ts`). Has no effect once something was written.
  if (database.pragma('page_count', { simple: true }) === 0) {
    database.pragma('auto_vacuum = incremental');
  }
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('foreign_keys = on');
  database.pragma(distrust);
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  database.pragma(`cache_size = -${cacheKib}`);
  database.pragma(`journal_size_limit = ${longestLogBytes}`);
}

/** Makes one directory after the other: mkdir's own recursion never ends in /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
  }
}

/**
 * Makes the file, as SQLite would make it readable to others. A file that is there is not touched: closing it would drop the
 * locks that this process holds on it.
 */
function createOwnersFile(path: string): void {
  if (existsSync(path)) return;
  try {
    makeFile(path);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
  }
}

/** The package's types allow only a path; it takes the loaded addon as well. */
function addonOption(dataDir: string): { nativeBinding?: string } {
  const nativeBinding = loadAddon(dataDir) as string | undefined;
  return nativeBinding === undefined ? {} : { nativeBinding };
}
