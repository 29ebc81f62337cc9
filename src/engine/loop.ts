/**
 * The one shape of everything that runs by itself: a step does a batch of work and says how long to
 * rest; the loop rests, or is woken. It is the one place where the unexpected is logged, and where
 * it leads to a pause instead of an end.
 */

import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../domain/errors.ts';
import type { Log } from '../log.ts';

/** Does one batch. Returns how many milliseconds to rest; 0 if there is more to do at once. */
export type Step = () => Promise<number>;

export interface Loop extends AsyncDisposable {
  /** Ends a rest; wakes of one turn of the event loop become one step. */
  readonly wake: () => void;
  /** Why the last step failed, in a sentence; null if it did not. */
  readonly trouble: string | null;
}

/** No rest is longer, so that a wall clock that was set, or woke up, is noticed. */
const longestRestMs = 1_000;
/** Rests after a step that failed, doubled from the first to the last. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * What was sent to this process meanwhile is read in the turn of the event loop that follows, and requests are answered at the end of
 * that turn (store/database/look.ts).
 */
async function requestsToBeAnswered(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Starts a loop; disposing of it waits for the step under way. */
export function startLoop(name: string, step: Step, log: Log): Loop {
  const stopper = new AbortController();
  let woken = false;
  let endRest: (() => void) | undefined;
  let failures = 0;
  let trouble: string | null = null;

  const guardedStep: Step = async () => {
    try {
      const restMs = await step();
      if (failures > 0) log.info({ loop: name, failures }, `${name} works again`);
      failures = 0;
      trouble = null;
      return Math.min(restMs, longestRestMs);
    } catch (error) {
      failures += 1;
      trouble = `${name} fails: ${messageOf(error)}`;
      const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
      log.error({ err: error, loop: name, failures, pauseMs }, `${name} failed, will try again`);
      return pauseMs;
    }
  };

  const rest = (restMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, restMs);
      endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    while (!stopper.signal.aborted) {
      woken = false;
      const restMs = await guardedStep();
      const isUrgent = woken && failures === 0;
      if (!stopper.signal.aborted && !isUrgent && restMs > 0) await rest(restMs);
      endRest = undefined;
      await requestsToBeAnswered();
    }
  };

  const ended = run();
  const wake = (): void => {
    woken = true;
    // After a failure the pause is kept: whoever wakes would only fail again.
    if (failures === 0) endRest?.();
  };
  return {
    wake,
    get trouble() {
      return trouble;
    },
    async [Symbol.asyncDispose]() {
      stopper.abort();
      endRest?.();
      await ended;
    },
  };
}
