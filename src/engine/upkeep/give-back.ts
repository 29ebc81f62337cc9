/** Gives free pages of the database file back to the system, except for a reserve that new rows will use. */

import type { Clock } from '../../domain/clock.ts';
import type { Store } from '../../store/database/store.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';

/** Free pages that stay: 4 MiB, or a sixteenth of a large file. None stay on a full disk. */
const fewestKept = 1_024;
const keptShare = 16;

/** Makes it; null where a server sees to its files. A file that cannot be made smaller step by step is left as it is. */
export function createGivingBack(store: Store, clock: Clock): Pruning | null {
  const { file } = store;
  if (file === null) return null;
  const writes = createSmallWrites(store, clock);
  let isPossible: boolean | undefined;
  let isLogFull = false;

  return {
    name: 'pages',
    writes,
    async step() {
      isPossible ??= await file.canGiveBack();
      if (!isPossible) return null;
      const { pages, freePages } = await file.readSpace();
      const kept = Math.max(fewestKept, Math.ceil(pages / keptShare));
      const spare = freePages - (store.reserve.isInUse ? 0 : kept);
      if (spare > 0) {
        isLogFull = true;
        const count = Math.min(spare, writes.rows);
        return await writes.write(async (tx) => {
          await file.giveBackPages(tx, count);
          return pages - (await file.readSpace(tx)).pages;
        });
      }
      if (!isLogFull) return null;
      isLogFull = false;
      // On a full disk the log stays as large as it is: another program would take the space.
      await (store.reserve.isInUse ? file.checkpoint() : file.emptyLog());
      return 0;
    },
  };
}
