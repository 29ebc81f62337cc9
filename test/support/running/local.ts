/** The store of a test as commands open it. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/domain/clock.ts';
import { openLocal, type Local } from '../../../src/serve/local-store.ts';
import { openStore } from '../../../src/store/open.ts';
import { makeDatabase, testDatabase } from '../postgres/database.ts';

/** Databases of data directories, where tests use PostgreSQL. */
const databases = new Map<string, string>();

/** The master key where no file holds one. */
export const testSecretKey = Buffer.alloc(32, 7).toString('base64');

/** The same, as the environment gives it. */
export const givenTestKey = { name: 'JOBD_SECRET_KEY', text: testSecretKey };

/** The URL of the database of a data directory; undefined if that is a file in it. */
export function databaseOf(dataDir: string): string | undefined {
  return databases.get(dataDir);
}

/** Gives a data directory its database; null if that is a file in it, which then exists. */
export async function databaseFor(dataDir: string): Promise<string | null> {
  const database = databases.get(dataDir) ?? (await testDatabase());
  if (database === undefined) {
    await copyNewStore(join(dataDir, 'jobd.db'));
    return null;
  }
  databases.set(dataDir, database);
  return database;
}

/** A store with all tables and no rows. Making one takes 35 ms of the processor, a copy 1, and there are no two that differ. */
let newStore: Promise<Buffer> | undefined;

async function copyNewStore(path: string): Promise<void> {
  newStore ??= makeNewStore();
  if (!existsSync(path)) writeFileSync(path, await newStore, { mode: 0o600, flag: 'wx' });
}

async function makeNewStore(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'jobd-new-'));
  const store = await openStore(directory);
  await store[Symbol.asyncDispose]();
  const bytes = readFileSync(join(directory, 'jobd.db'));
  rmSync(directory, { recursive: true });
  return bytes;
}

/** Gives a data directory a new database on this server. */
export async function useServer(dataDir: string, server: string): Promise<void> {
  databases.set(dataDir, await makeDatabase(server));
}

/** Opens the store of a data directory. */
export async function openTestLocal(dataDir: string, clock: Clock = systemClock): Promise<Local> {
  const database = databases.get(dataDir) ?? null;
  return await openLocal(
    { dataDir, database },
    { clock, keys: { current: database === null ? null : givenTestKey, next: null } },
  );
}

/** What a run came to, as its store has it. */
export async function storedRun(dataDir: string, runId: string) {
  await using local = await openTestLocal(dataDir);
  return await local.store.db
    .selectFrom('runs')
    .select(['status', 'response_body as responseBody'])
    .where('id', '=', runId)
    .executeTakeFirst();
}
