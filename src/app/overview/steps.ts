/**
 * Searches in steps. A row may take 14 microseconds: a URL and a name of full length and a text that nearly occurs at each
 * place of the URL. Nothing else happens during a step, so steps are short, and the event loop turns between them.
 */

import { setImmediate } from 'node:timers/promises';

/** The most jobs that one step searches, for about 4 ms at most. */
export const searchedPerStep = 250;
/** The most jobs that one request searches, for about 60 ms at most. */
export const mostSearched = 4_000;

/** What was found, and the place at which the search stopped; undefined if it looked at all that is left. */
export interface Found<Item, Place> {
  found: Item[];
  stop: Place | undefined;
}

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
