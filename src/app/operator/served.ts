/** Who serves a database now, and where people reach it. */

import { nodeName } from '../../domain/nodes.ts';
import { findSiteUrl } from '../../store/accounts/instance.ts';
import { findLiveNodes } from '../../store/nodes/nodes.ts';
import { whoLocks } from '../../store/sqlite/lock.ts';
import type { Db } from '../../store/database/store.ts';
import type { Ground } from '../app.ts';

/** Where a database is: in a data directory, or on a server. */
export interface Place {
  dataDir: string;
  /** The URL of a server's database; null for a data directory. */
  database: string | null;
}

/**
 * The processes of `jobd serve` that use a database, in a data directory or on a server, for messages; null if none does.
 * Throws `unavailable` if this user may not look.
 */
export async function whoServes({ dataDir, database }: Place, db: Db): Promise<string | null> {
  if (database === null) return whoServesFile(dataDir);
  const live = await findLiveNodes(db);
  return live.length === 0 ? null : live.map(nodeName).join(', ');
}

/** The same for a data directory, whose database need not be readable. */
export function whoServesFile(dataDir: string): string | null {
  const pid = whoLocks(dataDir);
  return pid === undefined ? null : `process ${pid}`;
}

/** Where people reach the daemon of a database; null until it has listened once. */
export async function siteUrlIn({ store }: Pick<Ground, 'store'>): Promise<string | null> {
  return await findSiteUrl(store.db);
}
