/** Records what came of attempts: those that end together in one transaction, so that a thousand alerts do not cost a thousand syncs of the disk. */

import { restAfter } from '../../domain/alerts/delivery.ts';
import { rest, type Clock } from '../../domain/clock.ts';
import { createBatcher } from '../../store/database/batches.ts';
import { recordAttempts, type Attempted } from '../../store/alerts/attempts.ts';
import type { Store } from '../../store/database/store.ts';

/** Records an attempt. Resolves to whether to log it (`recordAttempts`). */
export type RecordAttempt = (attempted: Attempted) => Promise<boolean>;

interface Waiting extends PromiseWithResolvers<boolean> {
  attempted: Attempted;
}

/** Makes what records attempts in a store. After each transaction it rests (`restAfter`). */
export function createRecording(store: Store, clock: Clock, rests: number): RecordAttempt {
  const recordSoon = createBatcher<Waiting>(
    async (batch) => {
      const attempts = batch.map(({ attempted }) => attempted);
      const began = clock.monotonicMs();
      const isRecorded = await store.write((tx) => recordAttempts(tx, attempts));
      for (const [index, { resolve }] of batch.entries()) resolve(isRecorded[index] === true);
      const restMs = restAfter(clock.monotonicMs() - began, rests);
      if (restMs > 0) await rest(clock, restMs);
    },
    ({ reject }, error) => reject(error),
  );
  return (attempted) => {
    const waiting = { attempted, ...Promise.withResolvers<boolean>() };
    recordSoon(waiting);
    return waiting.promise;
  };
}
