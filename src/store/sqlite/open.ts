/** Opens the store, and runs what must happen together as one transaction. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import { allowDirect } from '../database/direct.ts';
import { dialectOn, isBusy, isDamage, isFull } from './connection.ts';
import type { SqliteConnection } from './connection.ts';
import { noHints } from '../database/hints.ts';
import { migrate, refuseUpgrade, schemaVersion } from '../database/migrate.ts';
import { FileReserve, releaseToOpen } from './reserve.ts';
import type { Schema } from '../database/schema.ts';
import type { Db, Store } from '../database/store.ts';
import type { StoreUpgrade } from '../database/upgrade.ts';
import { createCopyBeforeUpgrade } from './before-upgrade.ts';
import type { CopyBeforeUpgrade } from './before-upgrade.ts';
import { openDatabase, openForReading } from './file.ts';
import { dataVersion } from './inspect.ts';
import { fileOf, readSpace } from './space.ts';
import { unusable, unusableDirectory } from './unusable.ts';

/** How long a write waits for one of another process, and how often it looks. */
const longestWaitMs = 2_000;
const lookEveryMs = 20;

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

/**
 * Opens the store in a data directory, making it where needed, or bringing it up to date if there is an `upgrade`. Throws
 * `JobdError` `unavailable`, naming the file, if the database cannot be opened.
 */
export async function openFileStore(dataDir: string, upgrade?: StoreUpgrade): Promise<Store> {
  const copy = upgrade && createCopyBeforeUpgrade(dataDir, upgrade);
  try {
    return await openOnce(dataDir, copy);
  } catch (error) {
    copy?.remove();
    // The reserve is for what is stored already, not for a copy.
    if (copy?.wasRefused === true || !releaseToOpen(dataDir)) throw error;
  }
  try {
    return await openOnce(dataDir, copy);
  } catch (error) {
    copy?.remove();
    throw error;
  }
}

async function openOnce(dataDir: string, copy?: CopyBeforeUpgrade): Promise<Store> {
  const path = storePath(dataDir);
  const connection = openDatabase(path);
  const db = new Kysely<Schema>({ dialect: dialectOn(connection) });
  allowDirect(db, connection);
  const reserve = new FileReserve(db, dataDir);
  const write = async <T>(
    work: (tx: Db) => Promise<T>,
    { isAgain } = { isAgain: false },
  ): Promise<T> => {
    const wasInUse = reserve.isInUse;
    try {
      return await writePatiently(db, connection, work);
    } catch (error) {
      if (!isFull(error)) throw error;
      await reserve.release();
      // The log was at the end of its space, and has started over.
      if (wasInUse && !isAgain) return await write(work, { isAgain: true });
      if (reserve.refusal === null) throw error;
      const cause = error instanceof JobdError ? error.cause : error;
      throw new JobdError('unavailable', reserve.refusal, { cause, isOfStore: true });
    }
  };
  const store: Store = {
    db,
    write: (work) => write(work),
    reserve,
    file: fileOf(db, dataDir),
    admissions: null,
    // Nothing else runs meanwhile.
    smallWriteMs: 3,
    async sizeBytes() {
      const { pages, pageBytes } = await readSpace(db);
      return pages * pageBytes;
    },
    hints: noHints,
    othersWrites: () => dataVersion(db),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
  try {
    await migrate(store, copy === undefined ? refuseUpgrade : () => copy.make(db));
  } catch (error) {
    await db.destroy();
    if (!(error instanceof JobdError)) throw unusable(path, 'opened', error);
    // Its message does not name the file.
    throw isDamage(error) ? unusable(path, 'opened', error.cause) : error;
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
 * Opens the database of a data directory as it is, to copy it or to copy another store into it; it is made if there is none.
 * Throws `unavailable`.
 */
export function openFileAsItIs(dataDir: string): Reader {
  const db = new Kysely<Schema>({ dialect: dialectOn(openDatabase(storePath(dataDir))) });
  return { db, [Symbol.asyncDispose]: () => db.destroy() };
}

async function writePatiently<T>(
  db: Db,
  connection: SqliteConnection,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + longestWaitMs;
  let isBegun = false;
  const begun = async (tx: Db): Promise<T> => {
    isBegun = true;
    using _ = allowDirect(tx, connection);
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
