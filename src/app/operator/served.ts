/** Whether a daemon uses a data directory now, and where people reach it. */

import { findSiteUrl } from '../../store/accounts/instance.ts';
import { whoServes } from '../../store/sqlite/lock.ts';
import { hasDatabase } from '../../store/sqlite/open.ts';
import type { App } from '../app.ts';

/** Whether `jobd serve` runs on a data directory. Throws `unavailable` if this user may not look. */
export function isServed(dataDir: string): boolean {
  return hasDatabase(dataDir) && whoServes(dataDir) !== undefined;
}

/** Where people reach the daemon of a database; null until it has listened once. */
export async function siteUrlIn({ store }: Pick<App, 'store'>): Promise<string | null> {
  return await findSiteUrl(store.db);
}
