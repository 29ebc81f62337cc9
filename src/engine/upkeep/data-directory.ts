/** Notices that somebody removed or replaced files of the data directory while jobd serves it. */

import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../../store/database/store.ts';
import type { DataDirLock } from '../../store/sqlite/lock.ts';
import { startLoop, type Loop } from '../loop.ts';

const lookEveryMs = 1_000;

/** Starts the loop that looks. It fails as long as the database is not where it was, or another jobd has the lock. */
export function watchDataDirectory(parts: {
  store: Store;
  lock: DataDirLock;
  log: Log;
  clock: Pick<Clock, 'after'>;
}): Loop {
  const { store, lock, log } = parts;
  const look = async (): Promise<number> => {
    if (lock.keep()) log.warn('serve.lock was removed, and is locked again');
    const problem = store.file?.misplaced() ?? null;
    if (problem !== null) throw problem;
    return lookEveryMs;
  };
  return startLoop('data directory', look, parts);
}
