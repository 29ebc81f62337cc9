/** Starts what needs a database on a server that may not be up yet, as when machines or containers start together. */

import { setTimeout } from 'node:timers/promises';
import { systemClock, type Clock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Log } from '../../base/log.ts';

/** How long it is tried, and the rest between two tries, in milliseconds. */
const longestWaitMs = 60_000;
const restMs = 3_000;

export interface WaitingParts {
  log: Log;
  /** Resolves when it is not wanted any more. */
  stopSignal: Promise<unknown>;
  clock?: Pick<Clock, 'monotonicMs'>;
  /** Rests between two tries; the signal ends that. */
  rest?: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * Starts it, again and again for a minute while the database cannot be used now. Returns null if it is stopped meanwhile.
 * Throws the last error, and at once an error that waiting does not fix.
 */
export async function startWaiting<Started>(
  start: () => Promise<Started>,
  { log, stopSignal, clock = systemClock, rest = restAWhile }: WaitingParts,
): Promise<Started | null> {
  const beganMs = clock.monotonicMs();
  const over = new AbortController();
  void stopSignal.then(() => over.abort());
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const waitedMs = Math.round(clock.monotonicMs() - beganMs);
      const isPassing = error instanceof JobdError && error.isOfStore;
      if (!isPassing || waitedMs >= longestWaitMs) throw error;
      log.warn({ error: error.message, waitedMs }, 'jobd waits for its database, a minute at most');
    }
    await rest(over.signal);
    if (over.signal.aborted) return null;
  }
}

async function restAWhile(signal: AbortSignal): Promise<void> {
  await setTimeout(restMs, undefined, { signal }).catch(() => {});
}
