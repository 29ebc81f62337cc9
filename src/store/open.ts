/** Opens the store, in the database that it is in. */

import type { Store } from './database/store.ts';
import { openFileStore } from './sqlite/open.ts';
import type { Reader } from './sqlite/open.ts';

/** Whether a store is on a server, and not in a data directory. */
export function isOnServer(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

/**
 * Opens the store in a data directory, or that of a PostgreSQL database by its URL, making it or bringing it up to date
 * where needed. Throws `JobdError` `unavailable` if it cannot be opened, and `not_found` if there is none in the database of a
 * server and `mayMake` is false.
 */
export async function openStore(place: string, { mayMake = true } = {}): Promise<Store> {
  if (!isOnServer(place)) return await openFileStore(place);
  // Nothing of it is loaded unless it is used.
  const { openPostgres } = await import('./postgres/open.ts');
  return await openPostgres(place, mayMake);
}

/** Opens the database of a URL to look into it, whatever is in it. Throws `unavailable`. */
export async function openServerReader(url: string): Promise<Reader> {
  const { connectPostgres } = await import('./postgres/open.ts');
  return await connectPostgres(url);
}
