/** Opens the store, in the database that it is in. */

import type { Store } from './database/store.ts';
import type { StoreUpgrade } from './database/upgrade.ts';
import { openFileStore } from './sqlite/open.ts';
import { openFileAsItIs, storePath, type Reader } from './sqlite/reader.ts';

/** Whether a store is on a server, and not in a data directory. */
export function isOnServer(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

export interface StoreOpening {
  /** Whether a server's database that has nothing in it yet becomes a store; true by default. */
  mayMake?: boolean;
  /** How an older store is brought up to date; by default it is refused. */
  upgrade?: StoreUpgrade;
}

/**
 * Opens the store in a data directory, or that of a PostgreSQL database by its URL, making it where needed. Throws `JobdError`
 * `unavailable` if it cannot be opened, `conflict` if it is older and may not be brought up to date, and `not_found` if there is
 * none in the database of a server and `mayMake` is false.
 */
export async function openStore(
  place: string,
  { mayMake = true, upgrade }: StoreOpening = {},
): Promise<Store> {
  if (!isOnServer(place)) return await openFileStore(place, upgrade);
  // Nothing of it is loaded unless it is used.
  const { openPostgres } = await import('./postgres/open.ts');
  return await openPostgres(place, mayMake, upgrade);
}

/** Opens the database of a URL to look into it, whatever is in it. Throws `unavailable`. */
export async function openServerReader(url: string): Promise<Reader> {
  const { connectPostgres } = await import('./postgres/open.ts');
  return await connectPostgres(url);
}

/** Opens a database as it is, to copy what is in it. Throws `unavailable`. */
export async function openAsItIs(place: string): Promise<Reader> {
  return isOnServer(place) ? await openServerReader(place) : openFileAsItIs(storePath(place));
}

/** Opens a database to copy a store into it; a file is made. Throws `unavailable`. */
export async function openForCopy(place: string): Promise<Reader> {
  if (!isOnServer(place)) return openFileAsItIs(storePath(place));
  const { openPostgresForCopy } = await import('./postgres/open.ts');
  return await openPostgresForCopy(place);
}
