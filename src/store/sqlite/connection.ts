/**
 * The one connection to SQLite, and how kysely and compiled statements use it.
 *
 * SQLite answers synchronously, and there is one transaction at a time. kysely lets one asker after the other use the connection:
 * whoever asks while a transaction of somebody else is open waits. A transaction that writes takes the lock when it begins
 * (`begin immediate`), so it waits for other processes then and never fails later because of them.
 *
 * Compiled statements (`statement.ts`) skip kysely's queue: `directConnection` gives them the connection unless a transaction
 * of somebody else is open (`direct.ts`). So nobody sees half a transaction.
 */

import Database from 'better-sqlite3';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { noteAnswer } from '../../base/outage.ts';
import { JobdError, messageOf, storeUnusable, systemCode } from '../../domain/errors.ts';
import type { Changed, DirectConnection, Repeated } from '../database/direct.ts';

/** Prepared statements that are kept. The program has far fewer: the bound is for mistakes. */
const cachedStatements = 500;

/** An open database with its prepared statements. */
export class SqliteConnection implements DatabaseConnection, DirectConnection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  #isWriting = false;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  async executeQuery<Row>(query: CompiledQuery | Repeated): Promise<QueryResult<Row>> {
    if ('parameterLists' in query) return { rows: this.runForEach(query) as Row[] };
    const { sql, parameters } = query;
    return usable(() => {
      const statement = this.#prepare(sql);
      if (statement.reader) return { rows: statement.all(...parameters) as Row[] };
      const { changes } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    });
  }

  // oxlint-disable-next-line require-yield -- nothing here reads more rows than fit in memory
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not supported');
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  ask(sql: string, parameters: readonly unknown[]): unknown[] {
    return usable(() => this.#prepare(sql).all(...parameters));
  }

  runForEach({ sql, parameterLists }: Repeated): Changed[] {
    return usable(() => {
      const statement = this.#prepare(sql);
      return parameterLists.map((list) => ({ changes: statement.run(...list).changes }));
    });
  }

  /** Begins a transaction that writes. */
  begin(): void {
    this.#run('begin immediate');
    this.#isWriting = true;
  }

  commit(): void {
    this.#run('commit');
    this.#isWriting = false;
  }

  /** Rolls back, unless SQLite did so itself: on some errors it gives up the transaction (a full disk, for example). */
  rollback(): void {
    this.#isWriting = false;
    if (this.#database.inTransaction) this.#run('rollback');
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #run(sql: string): void {
    usable(() => this.#prepare(sql).run());
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

/** One for all databases: compiled statements are kept by it. */
const adapter = new SqliteAdapter();

/**
 * SQLite with STAT4 plans a statement again, at ten times its cost, when a value is bound that its plan could depend on: one that a
 * column equals beside `order by`, `max` or a join, or a limit. It does not look behind a plus.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

/** A kysely dialect on this connection. It is closed with kysely once something was asked. */
export function dialectOn(connection: SqliteConnection): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: async () => connection.begin(),
    commitTransaction: async () => connection.commit(),
    rollbackTransaction: async () => connection.rollback(),
    releaseConnection: async () => {},
    destroy: async () => connection.close(),
  };
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteCompiler(),
  };
}

/** Error codes that are not the statement's fault: the disk, the file or another process. */
const unusable = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM|PERM)/;

/** Asks the database. Throws `unavailable` if it cannot be used now. */
function usable<T>(ask: () => T): T {
  try {
    const answer = ask();
    noteAnswer();
    return answer;
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !unusable.test(error.code)) throw error;
    const advice = damageIn(error) === null ? '' : `: it is damaged, ${restoreAdvice}`;
    throw storeUnusable(`${wordsOf(error)} (${error.code})${advice}`, error);
  }
}

/** What an error means, in a sentence. SQLite has no word for it if the file that its readers share cannot be made on a full disk. */
export function wordsOf(error: unknown): string {
  const isDiskFull = isFull(error) || sqliteCode(error) === 'SQLITE_IOERR_SHMSIZE';
  return isDiskFull ? 'the disk is full: free space' : messageOf(error);
}

/** Whether a write failed because the disk is full. */
export function isFull(error: unknown): boolean {
  return sqliteCode(error) === 'SQLITE_FULL';
}

/** Whether a statement failed because another process was writing: trying again may help. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY');
}

/** What to do about a damaged file. */
export const restoreAdvice = 'restore a backup: jobd restore FILE';

/** SQLite's error that the file is damaged or no database, however often it was wrapped; null if it is another one. */
export function damageIn(error: unknown): Error | null {
  for (let cause = error; cause instanceof Error; { cause } = cause) {
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(cause))) return cause;
  }
  return null;
}

/** SQLite's code of an error, or of the cause of a `JobdError`; empty if it has none. */
function sqliteCode(error: unknown): string {
  const cause = error instanceof JobdError ? error.cause : error;
  return cause instanceof Database.SqliteError ? cause.code : '';
}
