/** Groups items that arrive in one turn of the event loop, or during a batch, into the next batch. */

/** The most items of a batch, and so of a transaction. */
const largestBatch = 500;

/** Creates a batcher, which keeps the order of arrival. `work` gets one batch at a time, answers those who wait, and must not reject. */
export function createBatcher<Item>(
  work: (batch: readonly Item[]) => Promise<void>,
): (item: Item) => void {
  let waiting: Item[] = [];
  let isWorking = false;

  async function workThrough(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, largestBatch);
      waiting = waiting.slice(batch.length);
      await work(batch);
    }
    isWorking = false;
  }

  return (item) => {
    const isFirst = waiting.length === 0 && !isWorking;
    waiting.push(item);
    if (isFirst) setImmediate(() => void workThrough());
  };
}
