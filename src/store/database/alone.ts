/** Writes of which only one may be under way: what the first of several processes to start makes. */

import { lockSetup } from './dialect.ts';
import type { Db, Store } from './store.ts';

/** As `store.write`, one after the other over all processes: each sees what the one before it has kept. */
export async function writeAlone<T>(store: Store, work: (tx: Db) => Promise<T>): Promise<T> {
  return await store.write(async (tx) => {
    await lockAlone(tx);
    return await work(tx);
  });
}

/** The same for what a transaction continues to do. */
export async function lockAlone(tx: Db): Promise<void> {
  await tx.executeQuery(lockSetup.compile(tx));
}
