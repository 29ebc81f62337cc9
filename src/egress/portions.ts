/**
 * A few at a time, for the thread of calls (`thread.ts`), so that both sides of it have work. All at once would take turns
 * instead: while 512 connections are opened no answer is read, and while 512 answers are read the store waits for the first of them.
 */

/** How many items one turn of the event loop takes, and one message holds. */
export const portionSize = 16;

/** Takes what is given in the order in which it came, a portion in each turn of the event loop. */
export interface Intake<Item> {
  add(items: readonly Item[]): void;
  /** Takes at once all that is still to be taken. */
  finish(): void;
}

/** Makes an intake; `take` must not throw. */
export function createIntake<Item>(take: (item: Item) => void): Intake<Item> {
  const waiting: Item[] = [];
  /** Whether this turn has had its portion. */
  let isTurnOver = false;

  function takePortion(): void {
    isTurnOver = true;
    setImmediate(beginTurn);
    for (const item of waiting.splice(0, portionSize)) take(item);
  }

  function beginTurn(): void {
    isTurnOver = false;
    if (waiting.length > 0) takePortion();
  }

  return {
    add(items) {
      for (const item of items) waiting.push(item);
      if (!isTurnOver) takePortion();
    },
    finish() {
      for (const item of waiting.splice(0)) take(item);
    },
  };
}

/** Gathers what is given in one turn of the event loop, and hands it on when the turn ends, or when it is a portion. */
export function createGathering<Item>(handOn: (items: Item[]) => void): (item: Item) => void {
  let gathered: Item[] = [];

  function flush(): void {
    if (gathered.length === 0) return;
    const items = gathered;
    gathered = [];
    handOn(items);
  }

  return (item) => {
    if (gathered.length === 0) setImmediate(flush);
    gathered.push(item);
    if (gathered.length >= portionSize) flush();
  };
}
