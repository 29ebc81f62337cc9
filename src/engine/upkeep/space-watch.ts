/**
 * Watches the space that the database takes and that the disk still has. When space is short (`domain/space.ts`), history is
 * removed before its time (`prune-history.ts`). It counts what goes, and says it: in the log, in metrics, in the API and, through
 * the database, to `jobd doctor`.
 */

import type { Clock } from '../../domain/clock.ts';
import { found, type Finding } from '../../domain/findings.ts';
import type { Meter } from '../../domain/meter.ts';
import { findShortages, mustMakeRoom } from '../../domain/space.ts';
import type { SpaceCause, SpaceFigures } from '../../domain/space.ts';
import type { Log } from '../../base/log.ts';
import { addEarlyRemovals } from '../../store/accounts/instance.ts';
import type { Db, Store } from '../../store/database/store.ts';

export interface SpaceWatchParts {
  store: Store;
  clock: Clock;
  log: Log;
  meter: Pick<Meter, 'removedEarly'>;
  /** The largest size of the database, in bytes; null without one. */
  limitBytes: number | null;
}

export interface SpaceWatch {
  /** Why space is short, as of the last look. */
  readonly causes: () => readonly SpaceCause[];
  /** Whether nothing more can be removed, though space is short. */
  readonly isExhausted: () => boolean;
  /** That history goes before its time; none if there is enough space. */
  readonly findings: () => Finding[];
  limitBytes: number | null;
  /** Looks. Returns whether history has to make room now. */
  look(): Promise<boolean>;
  /** Counts what this transaction removes. */
  note(tx: Db, removed: EarlyCount): Promise<void>;
  /** Counts it for the log and metrics, after the commit. */
  noted(removed: EarlyCount): void;
  /** Says whether a pass found nothing to remove. */
  exhausted(isExhausted: boolean): void;
}

/** Rows removed before their time. */
export interface EarlyCount {
  results: number;
  pings: number;
}

/** Under load, space is short again and again. The log then says so, and how much was removed, no more often than this. */
const quietMs = 600_000;

/** Makes it. Where a server sees to its files, space is never short. */
export function createSpaceWatch(parts: SpaceWatchParts): SpaceWatch {
  const { store, clock, log, meter, limitBytes } = parts;
  let causes: readonly SpaceCause[] = [];
  let isExhausted = false;
  /** When space became short, by the monotonic clock, and what the database took then. */
  let began = { atMs: 0, usedBytes: 0 };
  let removed: EarlyCount = { results: 0, pings: 0 };
  let saidAt = -Infinity;
  let beganSaidAt = -Infinity;
  /** Whether the log says that space is short. */
  let isSaid = false;

  function say(): void {
    if (removed.results + removed.pings === 0) return;
    log.warn(removed, 'history was removed before its time, as space was short');
    removed = { results: 0, pings: 0 };
    saidAt = clock.monotonicMs();
  }

  function exhausted(now: boolean): void {
    if (now && !isExhausted) {
      log.error({ causes }, 'space is short, and no history is left to remove: free space');
    }
    isExhausted = now;
  }

  return {
    limitBytes,
    causes: () => causes,
    isExhausted: () => isExhausted,
    findings() {
      if (causes.length === 0 || store.file === null) return [];
      const facts = { causes, freeBytes: store.file.diskFreeBytes() };
      return [found(isExhausted ? 'space-exhausted' : 'space-short', facts)];
    },
    exhausted,
    async look() {
      const figures = await readFigures(store);
      if (figures === null) return false;
      const before = causes;
      const now = clock.monotonicMs();
      causes = findShortages(figures, limitBytes, before);
      if (before.length === 0 && causes.length > 0) {
        began = { atMs: now, usedBytes: figures.usedBytes };
        isSaid = now - beganSaidAt >= quietMs;
        if (isSaid) {
          log.warn({ causes, ...figures }, 'space is short');
          beganSaidAt = now;
          saidAt = now;
        }
      }
      if (before.length > 0 && causes.length === 0) {
        exhausted(false);
        if (isSaid) {
          say();
          log.info(figures, 'there is enough space again');
        }
      }
      if (now - saidAt >= quietMs) say();
      const grownBytes = figures.usedBytes - began.usedBytes;
      return mustMakeRoom(causes, figures, { forMs: now - began.atMs, grownBytes });
    },
    note: (tx, count) => addEarlyRemovals(tx, { ...count, at: clock.now() }),
    noted(count) {
      removed.results += count.results;
      removed.pings += count.pings;
      meter.removedEarly(count);
      exhausted(false);
    },
  };
}

/** Null where a server sees to its files. */
async function readFigures({ file, reserve }: Store): Promise<SpaceFigures | null> {
  if (file === null) return null;
  const { pages, freePages, pageBytes } = await file.readSpace();
  return {
    usedBytes: (pages - freePages) * pageBytes + file.logBytes(),
    reusableBytes: freePages * pageBytes,
    diskFreeBytes: file.diskFreeBytes(),
    reserveBytes: reserve.wantedBytes,
    lackingBytes: reserve.lackingBytes,
  };
}
