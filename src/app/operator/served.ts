/** Whether a daemon uses a data directory now. */

import { whoServes } from '../../store/sqlite/lock.ts';
import { hasDatabase } from '../../store/sqlite/open.ts';

/** Whether `jobd serve` runs on a data directory. Throws `unavailable` if this user may not look. */
export function isServed(dataDir: string): boolean {
  return hasDatabase(dataDir) && whoServes(dataDir) !== undefined;
}
