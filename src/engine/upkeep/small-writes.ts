/**
 * Small writes: work of any length in transactions of a few milliseconds. SQLite has one writer, and nothing else in
 * this process runs while it writes. So the number of rows follows the time that the last transaction took.
 */

import type { Clock } from '../../domain/clock.ts';
import type { Db, Store } from '../../store/database/open.ts';

/** How long a transaction should take, commit included. */
const aimMs = 3;
const firstRows = 50;
const fewestRows = 5;
const mostRows = 1_000;

/** Rows for the next transaction, after one that did `done` of `rows` rows and took `tookMs`. */
export function nextRows(rows: number, { done, tookMs }: { done: number; tookMs: number }): number {
  // One slow sync says little about rows; a transaction that was not full says nothing about larger ones.
  const factor = Math.min(Math.max(aimMs / tookMs, 0.25), done < rows ? 1 : 2);
  return Math.min(Math.max(Math.round(rows * factor), fewestRows), mostRows);
}

export interface SmallWrites {
  /** How many rows the next transaction should write. */
  readonly rows: number;
  /** Runs `work` in a transaction. Both return how many rows it wrote. */
  write(work: (tx: Db) => Promise<number>): Promise<number>;
  /** The longest transaction since the last call, in milliseconds. */
  takeLongestMs(): number;
}

/** Makes it for one kind of work: rows of another kind take another time. */
export function createSmallWrites(store: Store, clock: Clock): SmallWrites {
  let rows = firstRows;
  let longestMs = 0;
  return {
    get rows() {
      return rows;
    },
    async write(work) {
      let began = 0;
      const done = await store.write((tx) => {
        // Not earlier: waiting for another writer holds nobody up.
        began = clock.monotonicMs();
        return work(tx);
      });
      const tookMs = clock.monotonicMs() - began;
      longestMs = Math.max(longestMs, tookMs);
      rows = nextRows(rows, { done, tookMs });
      return done;
    },
    takeLongestMs() {
      const taken = longestMs;
      longestMs = 0;
      return taken;
    },
  };
}
