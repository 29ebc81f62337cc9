/**
 * SQLite behind kysely: one connection, statements prepared once, and every transaction an
 * immediate one, so that a writer waits at its beginning and never fails in its middle.
 */

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { JobdError, unavailable } from '../domain/errors.ts';
import { loadAddon } from './addon.ts';
import { makeOwnersFile, ownerOf } from './owners-file.ts';

/** How long opening waits for another process that opens the same file. */
const openingTimeoutMs = 2_000;
/**
 * How long a statement waits for another process. The wait blocks everything else in this one, so it
 * is short; who has more patience tries again (`isBusy`).
 */
const busyTimeoutMs = 5;
/** Statements kept prepared; the program has far fewer, so this bounds only a mistake. */
const cachedStatements = 500;

/** A kysely dialect for the SQLite file at `path`, made with its directory if it is not there. */
export function sqliteDialect(path: string): Dialect {
  return dialectOf(() => openDatabase(path));
}

/** A kysely dialect that only reads; the file must be there, and nothing of it is changed. */
export function readingDialect(path: string): Dialect {
  return dialectOf(() => new Database(path, { readonly: true, ...addonOption(dirname(path)) }));
}

function dialectOf(open: () => Database.Database): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(open),
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
    throw unavailable(`${path} cannot be opened`, error);
  }
}

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
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
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
    makeOwnersFile(path, ownerOf(dirname(path)));
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

/** A statement that is run once for each of several lists of parameters. */
export interface Repeated extends CompiledQuery {
  readonly parameterLists: readonly (readonly unknown[])[];
}

class SqliteDriver implements Driver {
  readonly #open: () => Database.Database;
  #connection: SqliteConnection | undefined;

  constructor(open: () => Database.Database) {
    this.#open = open;
  }

  async init(): Promise<void> {
    this.#connection = new SqliteConnection(this.#open());
  }

  async acquireConnection(): Promise<SqliteConnection> {
    if (this.#connection === undefined) throw new Error('the database is not open');
    return this.#connection;
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    connection.run('begin immediate');
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    connection.run('commit');
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

class SqliteConnection implements DatabaseConnection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  async executeQuery<Row>(query: CompiledQuery | Repeated): Promise<QueryResult<Row>> {
    const { sql, parameters } = query;
    return usable(() => {
      const statement = this.#prepare(sql);
      if ('parameterLists' in query) {
        const changes = query.parameterLists.map((list) => ({
          changes: statement.run(...list).changes,
        }));
        return { rows: changes as Row[] };
      }
      if (statement.reader) return { rows: statement.all(...parameters) as Row[] };
      const { changes } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    });
  }

  // oxlint-disable-next-line require-yield -- nothing here reads more rows than fit in memory
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not supported');
  }

  run(sql: string): void {
    usable(() => this.#prepare(sql).run());
  }

  /** SQLite rolls back by itself on some errors (a full disk, say); then nothing is left to do. */
  rollback(): void {
    if (this.#database.inTransaction) this.run('rollback');
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= cachedStatements) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** What SQLite says when not the statement is at fault but the disk, the file or another process. */
const unusable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM|PERM)/;

/** Asks the database; if it cannot be used now, throws `JobdError` `unavailable`. */
function usable<T>(ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !unusable.test(error.code)) throw error;
    const message = `the store cannot be used now: ${error.message} (${error.code})`;
    throw new JobdError('unavailable', message, { cause: error });
  }
}

/** Whether a statement failed because another process was writing, so that trying again may help. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof JobdError ? error.cause : error;
  return cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');
}
