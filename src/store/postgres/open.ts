import { Kysely } from 'kysely';
import { JobdError, unavailable } from '../../domain/errors.ts';
import { migrate, refuseUpgrade, schemaVersion, type Unmigrated } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { noReserve, type Db, type Store } from '../database/store.ts';
import type { StoreUpgrade } from '../database/upgrade.ts';
import { admissionsIn } from './admissions.ts';
import { driverOf } from './connections/connection.ts';
import { dialectWith } from './dialect.ts';
import { checkAccess, serverFacts } from './doctor.ts';
import { cannotOpen, isLockWait, isOtherStart, isWorthRetrying, mayNot } from './errors.ts';
import { createServerHints } from './hints.ts';
import { hasOwnSchema, makeOwnSchema } from './own-schema.ts';
import { connectionsTo } from './connections/pool.ts';
import { retried } from './retried.ts';
import { nameOfDatabase, parseDatabaseUrl } from './connections/url.ts';

/** The oldest version that is supported. */
const oldestVersion = 14;

/**
 * Opens it. Throws `JobdError` `unavailable` if it cannot be used, `conflict` if it is older and there is no `upgrade`, and
 * `not_found` if there is no store in it and `mayMake` is false.
 */
export async function openPostgres(
  url: string,
  mayMake = true,
  upgrade?: StoreUpgrade,
): Promise<Store> {
  const store = await connectPostgres(url);
  const { db } = store;
  /** Waits for other processes that do the same. */
  const start: Unmigrated = {
    db,
    write: (work) => retried(() => db.transaction().execute(work), isOtherStart),
  };
  try {
    if ((await schemaVersion(db)) === 0) {
      if (!mayMake) throw nothingThere();
      await makeOwnSchema(start);
    }
    await migrate(start, upgrade === undefined ? refuseUpgrade : () => upgrade.onBegin(null));
    return store;
  } catch (error) {
    const told = await notOpened(url, db, error);
    await store[Symbol.asyncDispose]();
    throw told;
  }
}

/** Opens a database to copy a store into it. Throws `unavailable`, also if this role may not make tables. */
export async function openPostgresForCopy(url: string): Promise<Store> {
  const store = await connectPostgres(url);
  try {
    await makeOwnSchema(store);
    return store;
  } catch (error) {
    const told = await notOpened(url, store.db, error);
    await store[Symbol.asyncDispose]();
    throw told;
  }
}

/** Connects to a database that can hold a store. Throws `unavailable`. */
export async function connectPostgres(url: string): Promise<Store> {
  const place = parseDatabaseUrl(url);
  const connections = connectionsTo(place);
  const db = new Kysely<Schema>({ dialect: dialectWith(driverOf(connections)) });
  const hints = createServerHints(db, connections);
  let asked = 0;
  const store: Store = {
    db,
    write: (work, { lockWaitMs } = { lockWaitMs: 0 }) =>
      retried(() => db.transaction().execute(work), passingWithin(lockWaitMs)),
    reserve: noReserve,
    file: null,
    admissions: admissionsIn(db),
    smallWriteMs: 50,
    sizeBytes: async () => (await serverFacts(db)).bytes,
    hints,
    // Others may always have written.
    othersWrites: async () => (asked += 1),
    async [Symbol.asyncDispose]() {
      await hints[Symbol.asyncDispose]();
      await db.destroy();
    },
  };
  try {
    await requireUsable(db);
  } catch (error) {
    await db.destroy();
    throw cannotOpen(nameOfDatabase(place), error);
  }
  return store;
}

/** Makes a test for what passes: other work was faster, and for a while also that it holds a lock. */
function passingWithin(lockWaitMs: number): (error: unknown) => boolean {
  const until = performance.now() + lockWaitMs;
  return (error) => isWorthRetrying(error) || (isLockWait(error) && performance.now() < until);
}

async function requireUsable(db: Db): Promise<void> {
  const { versionNumber, encoding } = await serverFacts(db);
  const major = Math.floor(versionNumber / 10_000);
  if (major < oldestVersion) {
    throw new JobdError(
      'unavailable',
      `the database is PostgreSQL ${major}, jobd needs ${oldestVersion} or newer`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new JobdError(
      'unavailable',
      `the database keeps texts as ${encoding}, jobd needs UTF8: create database jobd encoding 'UTF8' template template0`,
    );
  }
  await hasOwnSchema(db);
}

async function notOpened(url: string, db: Db, error: unknown): Promise<unknown> {
  const sentence = `the database ${nameOfDatabase(parseDatabaseUrl(url))} cannot be opened`;
  if (!mayNot(error)) return error instanceof JobdError ? error : unavailable(sentence, error);
  const access = await checkAccess(db).catch(() => null);
  if (access === null || access.result === 'ok') {
    return unavailable(`${sentence} by this role, which must own the tables in it`, error);
  }
  const { detail, notes } = access;
  return new JobdError('unavailable', `${sentence}: ${detail}`, { cause: error, notes });
}

function nothingThere(): JobdError {
  const sentence = 'there is nothing of jobd in this database: jobd serve --database makes it';
  return new JobdError('not_found', sentence);
}
