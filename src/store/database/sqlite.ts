/** SQLite behind kysely: how a file is opened, and the one connection to it (`connection.ts`). */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Dialect, Driver } from 'kysely';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { loadAddon } from './addon.ts';
import { SqliteConnection } from './connection.ts';
import { makeOwnersFile } from './owners-file.ts';

/** How long opening waits for another process that opens the same file. */
const openingTimeoutMs = 2_000;
/**
 * How long a statement waits for another process. The wait blocks everything else in this one, so it
 * is short; who has more patience tries again (`isBusy`).
 */
const busyTimeoutMs = 5;

/** A kysely dialect with one connection. */
export interface SqliteDialect extends Dialect {
  /** The connection, once kysely has opened it. */
  readonly connection: () => SqliteConnection | undefined;
}

/** A kysely dialect for the SQLite file at `path`, made with its directory if it is not there. */
export function sqliteDialect(path: string): SqliteDialect {
  return dialectOf(() => openDatabase(path));
}

/** What stands in the schema of a file may call no function that does more than compute. */
const distrust = 'trusted_schema = off';

/** A kysely dialect that only reads; the file must be there, and nothing of it is changed. */
export function readingDialect(path: string): SqliteDialect {
  return dialectOf(() => {
    const database = new Database(path, { readonly: true, ...addonOption(dirname(path)) });
    database.pragma(distrust);
    return database;
  });
}

/** An empty database in memory, which goes with its disposal. */
export function openInMemory(): AsyncDisposable & { db: Kysely<unknown> } {
  const dialect = dialectOf(() => new Database(':memory:', addonOption('')));
  const db = new Kysely<unknown>({ dialect });
  return { db, [Symbol.asyncDispose]: () => db.destroy() };
}

function dialectOf(open: () => Database.Database): SqliteDialect {
  const driver = new SqliteDriver(open);
  return {
    connection: () => driver.connection,
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
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
    throw unavailable(`${path} cannot be opened`, error);
  }
}

/** Pages that are kept; the system keeps the rest of the file, where there is room. A larger cache gained nothing in a storm. */
const cacheKib = 8 * 1024;
/** The write-ahead log is cut to this after a while in which it had to be longer. */
const longestLogBytes = 16 * 1024 * 1024;

/**
 * Opens the database: with a write-ahead log, synced at every commit. A new file is made so that it can give
 * back space step by step, which must be said before anything is written (`space.ts`).
 */
function openDatabase(path: string): Database.Database {
  const database = openFile(path, openingTimeoutMs);
  if (isEmpty(database)) database.pragma('auto_vacuum = incremental');
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('foreign_keys = on');
  database.pragma(distrust);
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  database.pragma(`cache_size = -${cacheKib}`);
  database.pragma(`journal_size_limit = ${longestLogBytes}`);
  return database;
}

function isEmpty(database: Database.Database): boolean {
  return database.pragma('page_count', { simple: true }) === 0;
}

/** Directory by directory: mkdir's own recursion never ends where none can be made, as in /proc. */
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
 * SQLite would make the file as readable as the umask allows. A file that is there is not touched:
 * opening and closing it would drop the locks that this process may hold on it.
 */
function createOwnersFile(path: string): void {
  if (existsSync(path)) return;
  try {
    makeOwnersFile(path);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
  }
}

/** The types know a path only; the package takes the loaded addon as well. */
function addonOption(dataDir: string): { nativeBinding?: string } {
  const nativeBinding = loadAddon(dataDir) as string | undefined;
  return nativeBinding === undefined ? {} : { nativeBinding };
}

class SqliteDriver implements Driver {
  readonly #open: () => Database.Database;
  #connection: SqliteConnection | undefined;

  constructor(open: () => Database.Database) {
    this.#open = open;
  }

  /** The one connection, once it is open. */
  get connection(): SqliteConnection | undefined {
    return this.#connection;
  }

  async init(): Promise<void> {
    this.#connection = new SqliteConnection(this.#open());
  }

  async acquireConnection(): Promise<SqliteConnection> {
    if (this.#connection === undefined) throw new Error('the database is not open');
    return this.#connection;
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
