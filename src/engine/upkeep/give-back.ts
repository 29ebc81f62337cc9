/**
 * Gives free pages of the database file back to the system, except for some that new rows will use. On a full disk it gives only
 * as much as the reserve needs to be filled, and only when that is there: what another program would take is better kept.
 */

import type { Clock } from '../../domain/clock.ts';
import type { Space, Store } from '../../store/database/store.ts';
import type { Pruning } from './prune.ts';
import { createSmallWrites } from './small-writes.ts';

/** Free pages that stay: 4 MiB, or a sixteenth of a large file. On a full disk, a quarter of the reserve, for runs. */
const fewestKept = 1_024;
const keptShare = 16;
const keptOfReserve = 1 / 4;
/** How long nothing is given on a full disk after what was given did not fill the reserve: another program took it. */
const firstPauseMs = 30_000;
const longestPauseMs = 300_000;

/** Makes it; null where a server sees to its files. A file that cannot be made smaller step by step is left as it is. */
export function createGivingBack(store: Store, clock: Clock): Pruning | null {
  const { file, reserve } = store;
  if (file === null) return null;
  const writes = createSmallWrites(store, clock);
  let isPossible: boolean | undefined;
  let isLogFull = false;
  /** Whether pages were given for the reserve, and the pauses after that failed. */
  let isGiving = false;
  let pauseMs = firstPauseMs;
  let pausedUntil = -Infinity;

  function spareOf({ pages, freePages, pageBytes }: Space): number {
    if (reserve.lackingBytes === 0) {
      isGiving = false;
      pauseMs = firstPauseMs;
      return freePages - Math.max(fewestKept, Math.ceil(pages / keptShare));
    }
    const spare = freePages - Math.ceil((reserve.wantedBytes * keptOfReserve) / pageBytes);
    const missing = Math.ceil((reserve.freeToFillBytes - (file?.diskFreeBytes() ?? 0)) / pageBytes);
    if (missing <= spare && clock.monotonicMs() >= pausedUntil) {
      isGiving = missing > 0;
      return missing;
    }
    // What is still in the log is not on the disk yet.
    if (isGiving && !isLogFull) {
      isGiving = false;
      pausedUntil = clock.monotonicMs() + pauseMs;
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
    return 0;
  }

  return {
    name: 'pages',
    writes,
    async step() {
      isPossible ??= await file.canGiveBack();
      if (!isPossible) return null;
      const space = await file.readSpace();
      const spare = spareOf(space);
      if (spare > 0) {
        isLogFull = true;
        const count = Math.min(spare, writes.rows);
        return await writes.write(async (tx) => {
          await file.giveBackPages(tx, count);
          return space.pages - (await file.readSpace(tx)).pages;
        });
      }
      if (!isLogFull) return null;
      isLogFull = false;
      // On a full disk the log stays as large as it is: another program would take the space.
      await (reserve.isInUse ? file.checkpoint() : file.emptyLog());
      return 0;
    },
  };
}
