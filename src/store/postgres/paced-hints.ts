/**
 * Gathers hints and passes them on, one at a time and at most every 100 ms: a commit that notifies takes a lock of the whole
 * server, and what is heard wakes loops.
 */

import { gatherHints, type Hint } from '../../domain/hints.ts';

/** What one request changes is one hint. */
const gatherMs = 10;
const everyMs = 100;
/** How long the end of a process waits for its last hint. */
const lastWordMs = 1_000;

const nothing: Hint = { wakes: [], changes: [], ended: [] };

/** Disposing of it passes on what is gathered. */
export interface PacedHints extends AsyncDisposable {
  add(hint: Partial<Hint>): void;
  /** Passes a hint on in any case, even if it says nothing. */
  call(): void;
}

/** Makes it. `pass` must not fail. */
export function paceHints(pass: (hint: Hint) => Promise<void>): PacedHints {
  let gathered = gatherHints();
  let isCalled = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let passing: Promise<void> | undefined;
  let restUntil = 0;

  function plan(): void {
    if (timer !== undefined || passing !== undefined || isClosed) return;
    const waitMs = Math.max(gatherMs, Math.ceil(restUntil - performance.now()));
    timer = setTimeout(() => void passGathered(), waitMs).unref();
  }

  async function passGathered(): Promise<void> {
    timer = undefined;
    const hint = gathered.all() ?? (isCalled ? nothing : null);
    if (hint === null) return;
    gathered = gatherHints();
    isCalled = false;
    passing = pass(hint);
    await passing;
    restUntil = performance.now() + everyMs;
    passing = undefined;
    plan();
  }

  async function passLast(): Promise<void> {
    await passing;
    await passGathered();
  }

  return {
    add(hint) {
      gathered.add(hint);
      plan();
    },
    call() {
      isCalled = true;
      plan();
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      const { promise, resolve } = Promise.withResolvers<void>();
      const longest = setTimeout(resolve, lastWordMs);
      await Promise.race([passLast(), promise]);
      clearTimeout(longest);
    },
  };
}
