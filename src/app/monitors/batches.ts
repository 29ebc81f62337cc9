/** What comes in one turn of the event loop, and while a batch is under way, makes the next batch. */

/** What one batch, and so one transaction, takes at most. */
const largestBatch = 500;

/**
 * Makes what gathers items, in the order in which they came; `work` is called with one batch after the other. It must
 * not reject: whoever waits for an item is told there.
 */
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
