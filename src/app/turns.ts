/**
 * Changes of one workspace take turns in this process before they take turns in the database. They would wait there for the same
 * row anyway, each with a connection, and whatever else this process does would have none left.
 */

import { setTimeout } from 'node:timers/promises';
import { overLimit, storeUnusable } from '../domain/errors.ts';
import type { Store } from '../store/database/store.ts';

/** How long a change waits for those before it: here, and then for those of other processes. */
export const longestTurnMs = 15_000;

const queues = new WeakMap<Store, Map<string, Promise<unknown>>>();

/** Does `work` after all that came before it. Throws `unavailable` if that takes over 15 s. A file has one writer anyway. */
export async function inTurn<T>(
  store: Store,
  workspaceId: string,
  work: () => Promise<T>,
): Promise<T> {
  if (store.file !== null) return await work();
  const queue = queues.get(store) ?? new Map<string, Promise<unknown>>();
  queues.set(store, queue);
  const before = queue.get(workspaceId);
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const turn = Promise.all([before, done]);
  queue.set(workspaceId, turn);
  try {
    if (before !== undefined && !(await isOver(before))) {
      throw storeUnusable(`other changes took over ${longestTurnMs / 1_000} s: try again`);
    }
    return await work();
  } finally {
    end();
    if (queue.get(workspaceId) === turn) queue.delete(workspaceId);
  }
}

/** Whether it is over in time. */
async function isOver(before: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const { signal } = late;
  const tooLate = setTimeout(longestTurnMs, false, { signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([before.then(() => true), tooLate]);
  } finally {
    late.abort();
  }
}

/** How many may wait for a turn in one workspace. */
const mostWaiting = 20;

/**
 * Makes what does heavy reads of a workspace one after the other: whatever else jobd does comes in between, and each is refused in time.
 * Throws `rate_limited` if too many wait, and does nothing for those that have left meanwhile.
 */
export function createTurns() {
  const lines = new Map<string, { size: number; end: Promise<unknown> }>();
  return async <T>(id: string, left: AbortSignal, read: () => Promise<T>): Promise<T> => {
    const queue = lines.get(id) ?? { size: 0, end: Promise.resolve() };
    if (queue.size > mostWaiting) {
      throw overLimit(`of such requests of a workspace ${mostWaiting} may wait`, 60_000, 1_000);
    }
    lines.set(id, queue);
    queue.size += 1;
    const turn = queue.end.then(async () => {
      left.throwIfAborted();
      return await read();
    });
    queue.end = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      queue.size -= 1;
      if (queue.size === 0) lines.delete(id);
    }
  };
}
