/** Keeps what came of attempts: those that end together in one transaction, so that a thousand alerts do not cost a thousand syncs of the disk. */

import { createBatcher } from '../../store/database/batches.ts';
import { recordAttempts, type Attempted } from '../../store/alerts/attempts.ts';
import type { Store } from '../../store/database/store.ts';

/** Keeps an attempt. Resolves to whether to log it (`recordAttempt`). */
export type KeepAttempt = (attempted: Attempted) => Promise<boolean>;

interface Waiting extends PromiseWithResolvers<boolean> {
  attempted: Attempted;
}

/** Makes the keeper of a store. */
export function createKeeper(store: Store): KeepAttempt {
  const keepSoon = createBatcher<Waiting>((batch) => keepTogether(store, batch));
  return (attempted) => {
    const waiting = { attempted, ...Promise.withResolvers<boolean>() };
    keepSoon(waiting);
    return waiting.promise;
  };
}

async function keepTogether(store: Store, batch: readonly Waiting[]): Promise<void> {
  const attempts = batch.map(({ attempted }) => attempted);
  try {
    const kept = await store.write((tx) => recordAttempts(tx, attempts));
    for (const [index, { resolve }] of batch.entries()) resolve(kept[index] === true);
  } catch (error) {
    // One that the store refuses must not keep the others from being recorded.
    if (batch.length > 1) for (const one of batch) await keepTogether(store, [one]);
    else batch[0]?.reject(error);
  }
}
