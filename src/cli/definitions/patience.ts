/** Asking within the rate limit: what the server puts off is asked again when it says so. */

import { setTimeout as sleep } from 'node:timers/promises';
import { JobdError } from '../../domain/errors.ts';
import type { Ask } from '../client/client.ts';

/** A server that still refuses by then refuses for another reason. */
const mostWaits = 10;
const longestWaitSeconds = 120;

/** Asks as `ask` does; on 429 it says so, waits as long as the server wants, 2 min at most, and asks again. */
export function patiently(
  ask: Ask,
  say: (line: string) => void,
  wait: (ms: number) => Promise<unknown> = sleep,
): Ask {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    for (let waits = 0; ; waits += 1) {
      try {
        return await ask<T>(method, path, body);
      } catch (error) {
        if (!(error instanceof JobdError) || error.code !== 'rate_limited') throw error;
        if (waits === mostWaits) throw error;
        const seconds = Math.min(error.retryAfterSeconds ?? 60, longestWaitSeconds);
        say(`the rate limit of the key is reached, going on in ${seconds} s`);
        await wait(seconds * 1_000);
      }
    }
  };
}
