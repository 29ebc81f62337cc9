/** Opens the store, in the database that it is in. */

import type { Store } from './database/store.ts';
import { openFileStore } from './sqlite/open.ts';

/** Whether a store is on a server, and not in a data directory. */
export function isOnServer(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

/**
 * Opens the store in a data directory, or that of a PostgreSQL database by its URL, making it or bringing it up to date
 * where needed. Throws `JobdError` `unavailable` if it cannot be opened.
 */
export async function openStore(place: string): Promise<Store> {
  if (!isOnServer(place)) return await openFileStore(place);
  // Nothing of it is loaded unless it is used.
  const { openPostgres } = await import('./postgres/open.ts');
  return await openPostgres(place);
}
