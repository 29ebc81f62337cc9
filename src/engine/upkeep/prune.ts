/**
 * Prune: removes what people deleted and what plans do not keep, a little at a time. A longer rest follows each step,
 * so that calls and requests come first. The kinds of what is pruned (`prunings.ts`) are tried in order: the next one
 * when those before it have nothing left.
 */

import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../../store/database/store.ts';
import type { SmallWrites } from './small-writes.ts';

export interface Pruning {
  /** As the log names it. */
  readonly name: string;
  readonly writes: SmallWrites;
  /** Does a little. Returns how many rows (or pages) it removed; null if there is nothing to do now. */
  readonly step: () => Promise<number | null>;
  /** How many rows stay, if that is known. */
  readonly kept?: () => number;
}

/** A rest is at least this long, and this many times as long as the step before: two fifths of the time at most. */
const shortestRestMs = 5;
const restsPerStep = 1.5;

export interface Pruner {
  /** Does a step. Returns how long to rest, in milliseconds. */
  step(): Promise<number>;
}

/** Makes it. It logs what it removed each time nothing is left of any kind. */
export function createPruner(
  { store, clock, log }: { store: Store; clock: Clock; log: Log },
  kinds: readonly Pruning[],
): Pruner {
  const removed = new Map<string, number>();
  let isInLog = false;

  async function doStep(): Promise<boolean> {
    if (store.file !== null && isInLog) {
      // A step of its own: with a write it would take too long.
      isInLog = false;
      await store.file.checkpoint();
      return true;
    }
    for (const { name, step } of kinds) {
      const count = await step();
      if (count === null) continue;
      if (count > 0) {
        removed.set(name, (removed.get(name) ?? 0) + count);
        isInLog = true;
      }
      return true;
    }
    return false;
  }

  async function logRemoved(): Promise<void> {
    if (removed.size === 0) return;
    const space = await store.file?.readSpace();
    const longestMs = Math.max(...kinds.map(({ writes }) => writes.takeLongestMs()));
    const kept = kinds.flatMap((kind) => (kind.kept ? [[kind.name, kind.kept()] as const] : []));
    log.info(
      {
        removed: Object.fromEntries(removed),
        kept: Object.fromEntries(kept),
        databaseBytes: await store.sizeBytes(),
        ...(space && { freeBytes: space.freePages * space.pageBytes }),
        longestWriteMs: Math.round(longestMs * 10) / 10,
      },
      'pruned',
    );
    removed.clear();
  }

  return {
    async step() {
      const began = clock.monotonicMs();
      if (await doStep()) {
        return Math.max(shortestRestMs, restsPerStep * (clock.monotonicMs() - began));
      }
      await logRemoved();
      return Infinity;
    },
  };
}
