/** Opens the store, and runs what must happen together as one transaction. */

import { setTimeout } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { JobdError } from '../../domain/errors.ts';
import { allowDirect } from '../database/direct.ts';
import { dialectOn, damageIn, isBusy, isFull, type SqliteConnection } from './connection.ts';
import { noHints } from '../database/hints.ts';
import { migrate, refuseUpgrade } from '../database/migrate.ts';
import { FileReserve, releaseToOpen } from './reserve.ts';
import type { Schema } from '../database/schema.ts';
import type { Db, Store } from '../database/store.ts';
import type { StoreUpgrade } from '../database/upgrade.ts';
import { createCopyBeforeUpgrade, type CopyBeforeUpgrade } from './before-upgrade.ts';
import { openDatabase } from './file.ts';
import { watchPlace } from './in-place.ts';
import { dataVersion } from './inspect.ts';
import { fileOf, readSpace } from './space.ts';
import { storePath } from './reader.ts';
import { unusable } from './unusable.ts';

/** How long a write waits for one of another process, and how often it looks. */
const longestWaitMs = 2_000;
const lookEveryMs = 20;

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
  const misplaced = watchPlace(path);
  const write = async <T>(
    work: (tx: Db) => Promise<T>,
    { isAgain } = { isAgain: false },
  ): Promise<T> => {
    const wasInUse = reserve.isInUse;
    const problem = misplaced();
    if (problem !== null) throw problem;
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
    file: fileOf(db, dataDir, misplaced),
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
    // The message of damage does not name the file.
    const isNamed = error instanceof JobdError && damageIn(error) === null;
    throw isNamed ? error : unusable(path, 'opened', error);
  }
  return store;
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
