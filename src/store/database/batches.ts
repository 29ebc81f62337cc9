/** Groups items that arrive in one turn of the event loop, or during a batch, into the next batch. */

import { isRefused } from './refused.ts';

/** The most items of a batch, and so of a transaction. */
const largestBatch = 500;

/**
 * Creates a batcher, which keeps the order of arrival. `work` gets one batch at a time, and answers those who wait. If it throws,
 * `fail` gets the error for each item. One item that the store refuses does not keep the others of its batch from being written.
 */
export function createBatcher<Item>(
  work: (batch: readonly Item[]) => Promise<void>,
  fail: (item: Item, error: unknown) => void,
): (item: Item) => void {
  let waiting: Item[] = [];
  let isWorking = false;

  async function workThrough(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, largestBatch);
      waiting = waiting.slice(batch.length);
      await workOn(batch);
    }
    isWorking = false;
  }

  async function workOn(batch: readonly Item[]): Promise<void> {
    try {
      await work(batch);
    } catch (error) {
      if (batch.length > 1 && isRefused(error)) for (const one of batch) await workOn([one]);
      else for (const one of batch) fail(one, error);
    }
  }

  return (item) => {
    const isFirst = waiting.length === 0 && !isWorking;
    waiting.push(item);
    if (isFirst) setImmediate(() => void workThrough());
  };
}
