/**
 * The one database of a history, in memory, and how nodes use it: the real store, whose every begin, statement and commit first
 * asks the node. There a node may stop for ever, fail, or lose the answer of a commit; and there other nodes get their turn. One
 * transaction is open at a time: locks and isolation of PostgreSQL are not simulated.
 */

import Database from 'better-sqlite3';
import { Kysely, type CompiledQuery, type SelectModifierNode } from 'kysely';
import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import type { Repeated } from '../../src/store/database/direct.ts';
import type { Hints } from '../../src/store/database/hints.ts';
import { migrate } from '../../src/store/database/migrate.ts';
import type { Schema } from '../../src/store/database/schema.ts';
import { noReserve, type Db, type Store } from '../../src/store/database/store.ts';
import { dialectOn, SqliteCompiler, SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { world, type Actor } from './world.ts';

/** Where a node uses the database. */
export type Place = 'begin' | 'statement' | 'commit' | 'committed';

/** A node, as the database knows it. */
export interface User extends Actor {
  /** Called at each place, with its statement. It rejects if the node's question fails there, and never resolves if the node ends there. */
  reach(place: Place, sql?: string): Promise<void>;
}

/** A database whose clock is that of the world. */
export class Disk {
  readonly database = new Database(':memory:');
  readonly #connection = new SqliteConnection(this.database);
  #holder: User | null = null;
  #waiting: { user: User; resolve: () => void }[] = [];
  /** How far its clock is ahead of the true time, in milliseconds. */
  clockLeadMs = 0;
  /** When its server started. */
  startedAt = world().now;
  /** Called after each commit. */
  onCommit: (by: User) => void = () => {};

  constructor() {
    this.database.pragma('foreign_keys = on');
    const now = (): number => (world().now + this.clockLeadMs + 0.5) / 1_000;
    this.database.function('unixepoch', { varargs: true }, now);
    this.database.function('server_started_at', () => this.startedAt);
  }

  /** Its time, in epoch milliseconds. */
  get now(): number {
    return Math.floor(world().now + this.clockLeadMs);
  }

  /** The store of a node. */
  storeOf(user: User, hints: Hints): Store {
    const db = new Kysely<Schema>({ dialect: this.#dialectOf(user) });
    return {
      db,
      write: <T>(work: (tx: Db) => Promise<T>) => db.transaction().execute(work),
      reserve: noReserve,
      file: null,
      admissions: null,
      smallWriteMs: 3,
      sizeBytes: async () => 0,
      hints,
      othersWrites: async () => 0,
      [Symbol.asyncDispose]: async () => {},
    };
  }

  /** Makes the tables. */
  async prepare(store: Store): Promise<void> {
    await migrate(store, async () => {});
  }

  /** Whether a transaction or a question of this user is under way. */
  isUsedBy(user: User): boolean {
    return this.#holder === user;
  }

  /** A user has ended: what it had not committed is undone. */
  forget(user: User): void {
    if (this.#holder !== user) return;
    this.#connection.rollback();
    this.#release(user);
  }

  #dialectOf(user: User): Dialect {
    const connection: DatabaseConnection = {
      executeQuery: async <Row>(query: CompiledQuery | Repeated) => {
        await user.reach('statement', query.sql);
        return await this.#connection.executeQuery<Row>({ ...query, sql: inSqlite(query.sql) });
      },
      streamQuery: () => this.#connection.streamQuery(),
    };
    const driver: Driver = {
      init: async () => {},
      acquireConnection: async () => {
        await this.#acquire(user);
        return connection;
      },
      beginTransaction: async () => {
        await user.reach('begin');
        this.#connection.begin();
      },
      commitTransaction: async () => {
        await user.reach('commit');
        this.#connection.commit();
        this.onCommit(user);
        await user.reach('committed');
      },
      rollbackTransaction: async () => {
        if (this.#holder === user) this.#connection.rollback();
      },
      releaseConnection: async () => this.#release(user),
      destroy: async () => {},
    };
    return {
      ...dialectOn(this.#connection),
      createDriver: () => driver,
      createQueryCompiler: () => new Compiler(),
    };
  }

  async #acquire(user: User): Promise<void> {
    // What a node that was killed goes on with in this moment would hold it for ever.
    if (user.isDead) return await new Promise(() => {});
    if (this.#holder === null) this.#holder = user;
    else await new Promise<void>((resolve) => void this.#waiting.push({ user, resolve }));
  }

  #release(user: User): void {
    if (this.#holder !== user) return;
    this.#holder = null;
    this.#grant();
  }

  /** Gives it to who waits longest and is awake: a node that is frozen would keep it from all others. */
  #grant(): void {
    if (this.#holder !== null) return;
    this.#waiting = this.#waiting.filter(({ user }) => !user.isDead);
    const place = this.#waiting.findIndex(({ user }) => user.frozenUntil <= world().now);
    const [next] = this.#waiting.splice(Math.max(place, 0), place < 0 ? 0 : 1);
    if (next !== undefined) {
      this.#holder = next.user;
      next.resolve();
    } else if (this.#waiting[0] !== undefined) {
      world().after(0, () => this.#grant(), this.#waiting[0].user);
    }
  }
}

/** Leaves out the locks of rows, which there are none of. */
class Compiler extends SqliteCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.rawModifier !== undefined) super.visitSelectModifier(node);
  }
}

const serverStart = 'floor(extract(epoch from pg_postmaster_start_time()) * 1000)::bigint';

function inSqlite(sql: string): string {
  return sql.includes(serverStart) ? sql.replace(serverStart, 'server_started_at()') : sql;
}
