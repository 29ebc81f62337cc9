/**
 * A connection to SQLite: statements prepared once, and every transaction that writes an immediate one, so that a
 * writer waits at its beginning and never fails in its middle.
 */

import Database from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { JobdError } from '../../domain/errors.ts';

/** Statements kept prepared; the program has far fewer, so this bounds only a mistake. */
const cachedStatements = 500;

/** How many rows a statement changed. */
export interface Changed {
  changes: number;
}

/** A statement that is run once for each of several lists of parameters. */
export interface Repeated extends CompiledQuery {
  readonly parameterLists: readonly (readonly unknown[])[];
}

/** A connection; kysely gives it to one at a time, who may be in a transaction. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  #isWriting = false;
  #isLooking = false;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  async executeQuery<Row>(query: CompiledQuery | Repeated): Promise<QueryResult<Row>> {
    const { sql, parameters } = query;
    if ('parameterLists' in query) return { rows: this.runForEach(query) as Row[] };
    this.endLook();
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

  /** Whether a writing transaction is open. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Whether a transaction is open: SQLite gives one up by itself on some errors (a full disk, say). */
  get isInTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Asks at once. Throws `JobdError` `unavailable` if the database cannot be used now. */
  ask(sql: string, parameters: readonly unknown[]): unknown[] {
    return usable(() => this.#prepare(sql).all(...parameters));
  }

  /** Runs a statement for each list of parameters. Returns of each how many rows it changed. */
  runForEach({ sql, parameterLists }: Repeated): Changed[] {
    this.endLook();
    return usable(() => {
      const statement = this.#prepare(sql);
      return parameterLists.map((list) => ({ changes: statement.run(...list).changes }));
    });
  }

  /**
   * What is asked from now on sees the store as it is now: until the next look, until something is written or asked through kysely, or until this callback of
   * the event loop and the promises behind it are done. The questions of several requests so cost one look at the locks and the log.
   */
  look(): void {
    this.endLook();
    if (this.#isWriting) return;
    this.run('begin');
    this.#isLooking = true;
    process.nextTick(() => this.endLook());
  }

  /** What is asked from now on sees the store as it is when it is asked. */
  endLook(): void {
    if (!this.#isLooking) return;
    this.#isLooking = false;
    if (this.isInTransaction) this.run('commit');
  }

  /** Begins a transaction that writes: it waits for other writers now, and for none in its middle. */
  begin(): void {
    this.endLook();
    this.run('begin immediate');
    this.#isWriting = true;
  }

  commit(): void {
    this.run('commit');
    this.#isWriting = false;
  }

  /** Runs a statement without parameters that gives no rows. */
  run(sql: string): void {
    usable(() => this.#prepare(sql).run());
  }

  /** Rolls back what is left to roll back. */
  rollback(): void {
    this.#isWriting = false;
    if (this.isInTransaction) this.run('rollback');
  }

  close(): void {
    this.endLook();
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

/** Whether a write failed because there is no room on the disk. */
export function isFull(error: unknown): boolean {
  const cause = error instanceof JobdError ? error.cause : error;
  return cause instanceof Database.SqliteError && cause.code === 'SQLITE_FULL';
}

/** Whether it failed because the file is damaged, whoever passed the error on. */
export function isDamage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; { cause } = cause) {
    if (cause instanceof Database.SqliteError && damage.test(cause.code)) return true;
  }
  return false;
}
const damage = /^SQLITE_(CORRUPT|NOTADB)/;

/** Whether a statement failed because another process was writing, so that trying again may help. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof JobdError ? error.cause : error;
  return cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');
}
