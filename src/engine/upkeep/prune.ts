/**
 * Prune: what people deleted and what plans do not keep leaves the disk, a little at a time: a step, then a rest
 * that is longer, so that calls and requests come first. Kinds of what is pruned (`prunings.ts`) are tried in
 * order, the next one when those before have nothing left.
 */

import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../../store/database/open.ts';
import { checkpoint, readSpace } from '../../store/database/space.ts';
import type { SmallWrites } from './small-writes.ts';

/** One kind of what is pruned. */
export interface Pruning {
  /** What it removes, as the log names it. */
  readonly name: string;
  /** How it writes. */
  readonly writes: SmallWrites;
  /** Does a little. Returns how much it removed; null if there is nothing to do now. */
  step(): Promise<number | null>;
  /** How much is left that is not to go, if that is known. */
  readonly kept?: () => number;
}

/** Rests are at least this long, and so many times as long as the step before: two fifths of the time at most. */
const shortestRestMs = 5;
const restsPerStep = 1.5;
/** What so many writes left in the log goes into the file at once: pages that several of them changed go once. */
const writesPerCheckpoint = 2;

export interface Pruner {
  /** Does a step. Returns how long to rest. */
  step(): Promise<number>;
}

/** Makes it. When nothing is left of any kind, it logs what was removed since it was so before. */
export function createPruner(
  { store, clock, log }: { store: Store; clock: Clock; log: Log },
  kinds: readonly Pruning[],
): Pruner {
  const removed = new Map<Pruning, number>();
  let unsettled = 0;

  /** What was written reaches the file in a step of its own: together they would take longer. */
  async function settle(): Promise<void> {
    unsettled = 0;
    await checkpoint(store.db);
  }

  async function stepOfOne(): Promise<boolean> {
    for (const kind of kinds) {
      const count = await kind.step();
      if (count === null) continue;
      if (count > 0) removed.set(kind, (removed.get(kind) ?? 0) + count);
      if (count > 0) unsettled += 1;
      return true;
    }
    return false;
  }

  async function tell(): Promise<void> {
    if (removed.size === 0) return;
    const { pageBytes, pages, freePages } = await readSpace(store.db);
    const longestMs = Math.max(...kinds.map(({ writes }) => writes.takeLongestMs()));
    const known = kinds.map(({ name, kept }) => [name, kept?.()] as const);
    log.info(
      {
        removed: Object.fromEntries([...removed].map(([{ name }, count]) => [name, count])),
        kept: Object.fromEntries(known.filter(([, kept]) => kept !== undefined)),
        databaseBytes: pages * pageBytes,
        freeBytes: freePages * pageBytes,
        longestWriteMs: Math.round(longestMs * 10) / 10,
      },
      'pruned',
    );
    removed.clear();
  }

  return {
    async step() {
      const began = clock.monotonicMs();
      if (unsettled >= writesPerCheckpoint) await settle();
      else if (!(await stepOfOne())) {
        await tell();
        return Infinity;
      }
      return Math.max(shortestRestMs, restsPerStep * (clock.monotonicMs() - began));
    },
  };
}
