/**
 * Writes that people wait for. A server may carry a commit out although its answer never gets here. Nobody is told that
 * nothing was kept before that was looked up (docs/decisions/0008-doubt.md#a-write-in-doubt-is-looked-up-and-a-request-with-a-key-is-carried-out-once).
 */

import { rest } from '../domain/clock.ts';
import { JobdError } from '../domain/errors.ts';
import type { Db } from '../store/database/store.ts';
import type { Ground } from './app.ts';
import { longestTurnMs } from './turns.ts';

/** How long it is looked for, and how often. */
const longestLookMs = 10_000;
const lookEveryMs = 250;

/**
 * Does `work` in a transaction. If its commit is not confirmed, `isKept` looks: it must wait for a row that `work` has locked,
 * since the server may still be at that commit. Throws what `work` throws, and `unavailable`: it is `isInDoubt` if nothing
 * could be found out in 10 s.
 */
export async function writeConfirmed<T>(
  { store, clock }: Ground,
  work: (tx: Db) => Promise<T>,
  isKept: (tx: Db, result: T) => Promise<boolean>,
): Promise<T> {
  let done: { result: T } | undefined;
  try {
    const write = async (tx: Db): Promise<T> => {
      const result = await work(tx);
      done = { result };
      return result;
    };
    return await store.write(write, { lockWaitMs: longestTurnMs });
  } catch (error) {
    if (!(error instanceof JobdError) || !error.isInDoubt || done === undefined) throw error;
    const { result } = done;
    const deadline = clock.monotonicMs() + longestLookMs;
    while (clock.monotonicMs() < deadline) {
      const kept = await look({ store }, (tx) => isKept(tx, result));
      if (kept === true) return result;
      if (kept === false) throw error.cause;
      await rest(clock, lookEveryMs);
    }
    throw error;
  }
}

/** Null if the database cannot be asked now. */
async function look(
  { store }: Pick<Ground, 'store'>,
  isKept: (tx: Db) => Promise<boolean>,
): Promise<boolean | null> {
  try {
    return await store.write(isKept);
  } catch (error) {
    if (error instanceof JobdError && error.isOfStore) return null;
    throw error;
  }
}
