/** Gives free pages of the database file back to the system, except for a reserve that new rows will use. */

import type { Clock } from '../../domain/clock.ts';
import {
  canGiveBack,
  checkpoint,
  emptyLog,
  giveBackPages,
  readSpace,
} from '../../store/database/space.ts';
import type { Store } from '../../store/database/open.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';

/** Free pages that stay: 4 MiB, or a sixteenth of a large file. None stay on a full disk. */
const fewestKept = 1_024;
const keptShare = 16;

/** Makes it. A file that SQLite cannot make smaller step by step is left as it is. */
export function createGivingBack(store: Store, clock: Clock): Pruning {
  const writes = createSmallWrites(store, clock);
  let isPossible: boolean | undefined;
  let isLogFull = false;

  return {
    name: 'pages',
    writes,
    async step() {
      isPossible ??= await canGiveBack(store.db);
      if (!isPossible) return null;
      const { pages, freePages } = await readSpace(store.db);
      const kept = Math.max(fewestKept, Math.ceil(pages / keptShare));
      const spare = freePages - (store.reserve.isInUse ? 0 : kept);
      if (spare > 0) {
        isLogFull = true;
        const count = Math.min(spare, writes.rows);
        return await writes.write(async (tx) => {
          await giveBackPages(tx, count);
          return pages - (await readSpace(tx)).pages;
        });
      }
      if (!isLogFull) return null;
      isLogFull = false;
      // On a full disk the log stays as large as it is: another program would take the space.
      await (store.reserve.isInUse ? checkpoint : emptyLog)(store.db);
      return 0;
    },
  };
}
