/**
 * Small writes: work of any length, cut into transactions of a few milliseconds. SQLite has one writer, and while it
 * writes nothing else in this process moves; so the rows of a transaction follow what the last one took.
 */

import type { Clock } from '../../domain/clock.ts';
import type { Db, Store } from '../../store/database/open.ts';

/** What a transaction is to take, its commit included. */
const aimMs = 3;
const firstRows = 50;
const fewestRows = 5;
const mostRows = 1_000;

/** Rows for the next transaction, after one of `rows` rows that did `done` of them and took `tookMs`. */
export function nextRows(rows: number, { done, tookMs }: { done: number; tookMs: number }): number {
  // A disk that was slow once says little; a transaction that was not full says nothing about larger ones.
  const factor = Math.min(Math.max(aimMs / tookMs, 0.25), done < rows ? 1 : 2);
  return Math.min(Math.max(Math.round(rows * factor), fewestRows), mostRows);
}

export interface SmallWrites {
  /** How many rows the next transaction should write. */
  readonly rows: number;
  /** Runs `work` as one transaction; it says how many rows it did, and so does this. */
  write(work: (tx: Db) => Promise<number>): Promise<number>;
  /** The longest transaction since this was asked last, in milliseconds. */
  takeLongestMs(): number;
}

/** Makes it for one kind of work: other rows cost other times. */
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
        // Not before: the wait for another writer holds up nobody.
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
