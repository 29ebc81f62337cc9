/** How often something is asked again while changes go on. */

import type { Failure } from './api.ts';

/** Asks at once, and then less and less often while changes go on: 1, 2, 4 seconds, and so on. */
export interface Pace {
  /** Asks as soon as the pace allows. */
  ask: () => void;
  /** The same, unless nobody looks or wants changes. */
  askUnlessResting: () => void;
  /** After a failure: asks nothing for as long as the server said, or again soon if the server could not answer. */
  failed: (failure: Pick<Failure, 'status' | 'retryAfter'>) => void;
  /** Forgets that it was to ask. */
  stop: () => void;
}

/** All windows of a browser share what their session may ask in a minute: those that nobody works in ask less often. */
const longestGapMs = { inUse: 5_000, aside: 15_000 };
/** A server that says "too much" without saying how long. */
const usualWaitSeconds = 10;
const retryMs = 10_000;

/** The paces that are about to ask. */
const waiting = new Set<Pace>();
let isResting = false;

/** Makes a pace for `load`. */
export function createPace(load: () => Promise<void>): Pace {
  let gapMs = 0;
  let isAsking = false;
  let lastAt = 0;
  let notBefore = 0;
  let isRetry = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = async (): Promise<void> => {
    waiting.delete(pace);
    isAsking = true;
    lastAt = Date.now();
    await load();
    isAsking = false;
  };
  const askAt = (at: number): void => {
    clearTimeout(timer);
    waiting.add(pace);
    isRetry = false;
    timer = setTimeout(() => void start(), Math.max(0, at - Date.now()));
  };
  const pace: Pace = {
    ask: () => {
      if (waiting.has(pace) && !isRetry) return;
      const now = Date.now();
      const isCalm = now - lastAt > Math.max(5_000, 2 * gapMs);
      const longest = document.hasFocus() ? longestGapMs.inUse : longestGapMs.aside;
      gapMs = isCalm ? 0 : Math.min(Math.max(gapMs * 2, 1_000), longest);
      askAt(Math.max(isAsking ? now + 1_000 : now, lastAt + gapMs, notBefore));
    },
    askUnlessResting: () => {
      if (!isResting) pace.ask();
    },
    failed: ({ status, retryAfter }) => {
      if (isResting) return;
      if (status === 429) {
        notBefore = Date.now() + (retryAfter ?? usualWaitSeconds) * 1_000;
        askAt(notBefore);
      } else if ((status === 0 || status >= 500) && !waiting.has(pace)) {
        askAt(Date.now() + retryMs);
        isRetry = true;
      }
    },
    stop: () => {
      clearTimeout(timer);
      waiting.delete(pace);
    },
  };
  return pace;
}

/** Stops whatever is about to ask, or lets it go on: nobody looks now, or wants changes. Then all is asked again. */
export function restAsking(isNow: boolean): void {
  isResting = isNow;
  if (isNow) for (const pace of waiting) pace.stop();
}
