/** Waiting for what a server does: asking again until it is over. */

import { JobdError } from '../../domain/errors.ts';
import { catchInterrupt, startSpinner } from '../terminal/waiting.ts';
import { passingDelayMs, pause, retry } from './retry.ts';

/** The first pause between two requests: most is over soon. */
const firstPauseMs = 250;
/** The longest pause: well below the rate limit of a key. */
const longestPauseMs = 2_000;

export interface WaitOptions<T> {
  isOver: (state: T) => boolean;
  timeoutMs: number;
  /** Ends the wait when it aborts. */
  signal?: AbortSignal | undefined;
}

/** Asks until it is over, the time is up or the signal aborts, through outages and limits. Returns the last state, at first `known`. */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  known: T,
  { isOver, timeoutMs, signal }: WaitOptions<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(deadline - performance.now(), 0);
  let state = known;
  let pauseMs = firstPauseMs;
  while (!isOver(state) && leftMs() > 0) {
    await pause(Math.min(pauseMs, leftMs()), signal);
    if (signal?.aborted) break;
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
    try {
      state = await retry(ask, {
        delayMs(error) {
          const delayMs = passingDelayMs(error);
          return delayMs === null || leftMs() === 0 ? null : Math.min(delayMs, leftMs());
        },
        signal,
      });
    } catch (error) {
      // A failure that may pass means that the time is up, or Ctrl-C.
      if (!(error instanceof JobdError) || passingDelayMs(error) === null) throw error;
    }
  }
  return state;
}

/** Waits with a spinner that says these words, which may change, until Ctrl-C aborts the signal. */
export async function waitVisibly<T>(
  words: string | (() => string),
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using interrupt = catchInterrupt();
  using _ = startSpinner(typeof words === 'string' ? () => words : words);
  return await wait(interrupt.signal);
}
