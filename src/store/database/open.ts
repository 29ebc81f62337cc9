/** Opens the store, and runs what must happen together as one transaction. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { openWay } from './at-once.ts';
import { isBusy, isFull } from './connection.ts';
import { createGatherer } from './gather.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { createReserve, giveUpToOpen } from './reserve.ts';
import type { Reserve } from './reserve.ts';
import type { Schema } from './schema.ts';
import { readingDialect, sqliteDialect } from './sqlite.ts';
import type { SqliteDialect } from './sqlite.ts';

/** What every store function asks: the database itself, or a transaction of it. */
export type Db = Kysely<Schema>;

/** An open store. */
export interface Store extends AsyncDisposable {
  /** For questions. */
  readonly db: Db;
  /**
   * Runs `work` in one writing transaction: all of it is kept, or, if it throws, none. Waits up to 2 s
   * for another process's write. A failure of the commit itself leaves open whether it was kept.
   */
  write<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /**
   * The same in a transaction that is shared with what else of this turn of the event loop comes here: it sees what those before
   * it wrote, and what it wrote is undone alone if it throws. It is told what came of it after the commit.
   */
  writeShared<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** What is given up when a write finds the disk full. */
  readonly reserve: Reserve;
}

/** How long a write waits for one of another process, and how often it looks. */
const longestWaitMs = 2_000;
const lookEveryMs = 20;

/** The database file of a data directory. */
export function storePath(dataDir: string): string {
  return join(dataDir, 'jobd.db');
}

/** Whether a data directory holds a database. Throws `unavailable` if this user may not look. */
export function hasDatabase(dataDir: string): boolean {
  try {
    return statSync(storePath(dataDir), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw unavailable(`${dataDir} cannot be read`, error);
    throw new JobdError(
      'unavailable',
      `${dataDir} may not be read by this user: run this as root or as its owner (sudo -u ${ownerOf(dataDir)} jobd …)`,
      { cause: error },
    );
  }
}

/** As sudo takes it. */
function ownerOf(path: string): string {
  try {
    return `'#${statSync(path).uid}'`;
  } catch {
    return 'OWNER';
  }
}

/**
 * Opens the store in a data directory, making it or bringing it up to date where needed. Throws
 * `JobdError` `unavailable`, naming the file, if the database cannot be opened.
 */
export async function openStore(dataDir: string): Promise<Store> {
  try {
    return await openOnce(dataDir);
  } catch (error) {
    if (!giveUpToOpen(dataDir)) throw error;
    return await openOnce(dataDir);
  }
}

async function openOnce(dataDir: string): Promise<Store> {
  const path = storePath(dataDir);
  const dialect = sqliteDialect(path);
  const db = new Kysely<Schema>({ dialect });
  openWay(db, { connection: dialect.connection, isTransaction: false });
  const reserve = createReserve(db, dataDir);
  const write: Store['write'] = async (work) => {
    try {
      return await writePatiently({ db, dialect }, work);
    } catch (error) {
      if (!isFull(error)) throw error;
      await reserve.giveUp();
      if (reserve.refusal === null) throw error;
      const cause = error instanceof JobdError ? error.cause : error;
      throw new JobdError('unavailable', reserve.refusal, { cause });
    }
  };
  const store: Store = {
    db,
    write,
    writeShared: createGatherer(write),
    reserve,
    [Symbol.asyncDispose]: () => db.destroy(),
  };
  try {
    await migrate(store);
  } catch (error) {
    await db.destroy();
    throw error instanceof JobdError ? error : unavailable(`${path} cannot be opened`, error);
  }
  return store;
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
  const db = new Kysely<Schema>({ dialect: readingDialect(path) });
  const reader: Reader = { db, [Symbol.asyncDispose]: () => db.destroy() };
  try {
    await schemaVersion(db);
  } catch (error) {
    await db.destroy();
    throw unavailable(`${name} cannot be read`, error);
  }
  return reader;
}

async function writePatiently<T>(
  { db, dialect: { connection } }: { db: Db; dialect: SqliteDialect },
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + longestWaitMs;
  let isBegun = false;
  const begun = async (tx: Db): Promise<T> => {
    isBegun = true;
    using _ = openWay(tx, { connection, isTransaction: true });
    return await work(tx);
  };
  for (;;) {
    try {
      return await db.transaction().execute(begun);
    } catch (error) {
      if (isBegun || !isBusy(error) || performance.now() >= deadline) throw error;
    }
    await setTimeout(lookEveryMs);
  }
}
