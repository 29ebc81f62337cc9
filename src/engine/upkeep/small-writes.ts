/**
 * Small writes: work of any length in small transactions. SQLite has one writer, and nothing else in this process runs while it
 * writes; on a server, a transaction holds up those who want the same rows. So the number of rows follows the time that the
 * last transaction took.
 */

import type { Clock } from '../../domain/clock.ts';
import type { Db, Store } from '../../store/database/store.ts';

const firstRows = 50;
const fewestRows = 5;
const mostRows = 1_000;

/** What a transaction did, and how long one should take, commit included. */
interface Written {
  done: number;
  tookMs: number;
  aimMs: number;
}

/** Rows for the next transaction, after one that did `done` of `rows` rows and took `tookMs`. */
export function nextRows(rows: number, { done, tookMs, aimMs }: Written): number {
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
      rows = nextRows(rows, { done, tookMs, aimMs: store.smallWriteMs });
      return done;
    },
    takeLongestMs() {
      const taken = longestMs;
      longestMs = 0;
      return taken;
    },
  };
}
