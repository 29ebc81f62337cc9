/** Opens the store in a PostgreSQL database. */

import { setTimeout } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { JobdError, unavailable } from '../../domain/errors.ts';
import { migrate, schemaVersion } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import type { Db, Reserve, Store } from '../database/store.ts';
import { driverOf } from './connection.ts';
import { dialectWith } from './dialect.ts';
import { isWorthRetrying, mayNot } from './errors.ts';
import { serverFacts } from './facts.ts';
import { connectionsTo } from './pool.ts';
import { parseDatabaseUrl } from './url.ts';

/** How often work begins anew after another transaction was faster, and the longest wait between. */
const mostTries = 10;
const longestRestMs = 50;

/** The oldest version that is supported. */
const oldestVersion = 14;

/**
 * Opens it. Throws `JobdError` `unavailable` if it cannot be used, and `not_found` if there is no store in it and `mayMake` is
 * false.
 */
export async function openPostgres(url: string, mayMake = true): Promise<Store> {
  const store = await connectPostgres(url);
  try {
    if (!mayMake && (await schemaVersion(store.db)) === 0) throw nothingThere();
    await migrate(store);
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error instanceof JobdError ? error : unavailable(notOpened(error), error);
  }
}

/** Connects to a database that can hold a store. Throws `unavailable`. */
export async function connectPostgres(url: string): Promise<Store> {
  const connections = connectionsTo(parseDatabaseUrl(url));
  const db = new Kysely<Schema>({ dialect: dialectWith(driverOf(connections)) });
  let asked = 0;
  const store: Store = {
    db,
    write: (work) => writePatiently(db, work),
    reserve: noReserve,
    file: null,
    smallWriteMs: 50,
    sizeBytes: async () => (await serverFacts(db)).bytes,
    // Others may always have written.
    othersWrites: async () => (asked += 1),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
  try {
    await requireUsable(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return store;
}

/** The server sees to its own disk. */
const noReserve: Reserve = {
  isInUse: false,
  isMissing: false,
  refusal: null,
  keep: async () => {},
  release: async () => {},
  fill: async () => {},
  hasSpaceForRuns: async () => true,
};

async function requireUsable(db: Db): Promise<void> {
  const { versionNumber, encoding } = await serverFacts(db);
  const major = Math.floor(versionNumber / 10_000);
  if (major < oldestVersion) {
    throw new JobdError(
      'unavailable',
      `the database is PostgreSQL ${major}, jobd needs ${oldestVersion} or newer`,
    );
  }
  if (encoding === 'UTF8') return;
  throw new JobdError(
    'unavailable',
    `the database keeps texts as ${encoding}, jobd needs UTF8: create database jobd encoding 'UTF8' template template0`,
  );
}

function notOpened(error: unknown): string {
  const sentence = 'the database cannot be opened';
  return mayNot(error)
    ? `${sentence} by this role, which must own it (alter database … owner to …)`
    : sentence;
}

function nothingThere(): JobdError {
  const sentence = 'there is nothing of jobd in this database: jobd serve --database makes it';
  return new JobdError('not_found', sentence);
}

async function writePatiently<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!isWorthRetrying(error) || tries >= mostTries) throw error;
    }
    await setTimeout(Math.random() * longestRestMs);
  }
}
