/** Transactions that race: one waits for another that has done its part and is not committed yet. */

import type { Db, Store } from '../../../src/store/database/store.ts';
import { connectTo } from './database.ts';
import { until } from '../until.ts';

/** Work under way. */
interface Begun {
  ended: Promise<unknown>;
}

/** Makes them race in a database. */
export function racesIn(store: Store, database: string) {
  /** Begins work. Resolves when it waits for a lock, as so many others do, or when it has ended. */
  async function begin(work: () => Promise<unknown>, others = 0): Promise<Begun> {
    // One connection for all looks: whoever waits longer than 2 s begins again.
    const looks = await connectTo(database);
    let hasEnded = false;
    const ended = work().finally(() => (hasEnded = true));
    ended.catch(() => {});
    const waiting = `select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and datname = '${new URL(database).pathname.slice(1)}'`;
    const isWaiting = async () => ((await looks.query(waiting)).rowCount ?? 0) > others;
    await until('a wait for a lock', async () => hasEnded || (await isWaiting()));
    await looks.end();
    return { ended };
  }

  /** Does `first` in a transaction. Then the others begin, one after the other, and all may end. */
  async function race(
    first: (tx: Db) => Promise<unknown>,
    ...others: readonly (() => Promise<unknown>)[]
  ): Promise<void> {
    const begun: Begun[] = [];
    await store.write(async (tx) => {
      await first(tx);
      for (const [index, other] of others.entries()) begun.push(await begin(other, index));
    });
    for (const { ended } of begun) await ended;
  }

  return { begin, race };
}
