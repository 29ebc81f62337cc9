/** Searches in steps: a long search stops now and then, so that the event loop turns and nothing else waits for it. */

import { setImmediate } from 'node:timers/promises';

/** What was found, and the place at which the search stopped; undefined if it looked at all that is left. */
export interface Found<Item, Place> {
  found: Item[];
  stop: Place | undefined;
}

/** The most rows of which one step reads the labels: 16 of full length and ten terms take 65 microseconds a row. */
export const labelledPerStep = 100;

interface Steps<Place> {
  /** The most steps. */
  steps: number;
  after: Place | null;
  /** How many items are enough. */
  count: number;
}

/** Takes one step after another, each from where the last one stopped, until enough is found or nothing is left. */
export async function inSteps<Item, Place>(
  { steps, after, count }: Steps<Place>,
  step: (after: Place | null, count: number) => Promise<Found<Item, Place>>,
): Promise<Found<Item, Place>> {
  const found: Item[] = [];
  let from = after;
  for (let taken = 0; taken < steps; taken += 1) {
    if (taken > 0) await setImmediate();
    const next = await step(from, count - found.length);
    found.push(...next.found);
    if (next.stop === undefined || found.length >= count) return { found, stop: next.stop };
    from = next.stop;
  }
  return { found, stop: from ?? undefined };
}
