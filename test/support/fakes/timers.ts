/** Timers of egress whose time passes only when told to. */

import type { Timers } from '../../../src/domain/clock.ts';

export interface FakeTimers extends Timers {
  /** What is still to come, and what `after` was given for it. */
  readonly waiting: readonly { inMs: number; given: unknown }[];
  /** Passes time; what becomes due meanwhile runs at its own moment. */
  pass(ms: number): void;
}

interface Waiting {
  at: number;
  run: () => void;
  given?: unknown;
  everyMs?: number;
}

/** Makes timers that stand. */
export function fakeTimers(): FakeTimers {
  let now = 1_000;
  const all = new Set<Waiting>();

  function add(waiting: Waiting): Disposable {
    all.add(waiting);
    return { [Symbol.dispose]: () => void all.delete(waiting) };
  }

  function nextBy(end: number): Waiting | undefined {
    return [...all].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
  }

  return {
    monotonicMs: () => now,
    after: (ms, run, ...given) => add({ at: now + ms, run: () => run(...given), given: given[0] }),
    every: (everyMs, run) => add({ at: now + everyMs, run, everyMs }),
    get waiting() {
      return Array.from(all, ({ at, given }) => ({ inMs: at - now, given }));
    },
    pass(ms) {
      const end = now + ms;
      for (let next = nextBy(end); next !== undefined; next = nextBy(end)) {
        now = Math.max(now, next.at);
        if (next.everyMs === undefined) all.delete(next);
        else next.at += next.everyMs;
        next.run();
      }
      now = end;
    },
  };
}
