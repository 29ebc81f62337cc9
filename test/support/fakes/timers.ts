/** Timers of egress whose time passes only when told to. */

import type { Clock } from '../../../src/domain/clock.ts';

export interface FakeTimers extends Clock {
  /** What is still to come, and what `after` was given for it. */
  readonly waiting: readonly { inMs: number; given: unknown }[];
  /** Passes time; what becomes due meanwhile runs at its own moment. */
  pass(ms: number): void;
  /** Passes time in which nothing runs, as while a process is suspended; what became due meanwhile runs after it. */
  stall(ms: number): void;
  /** Passes time that only the wall clock shows, as while a machine sleeps. */
  sleep(ms: number): void;
}

interface Waiting {
  at: number;
  run: () => void;
  given?: unknown;
  everyMs?: number;
}

export function fakeTimers(): FakeTimers {
  let now = 1_000;
  let sleptMs = 0;
  const all = new Set<Waiting>();

  function add(waiting: Waiting): Disposable {
    all.add(waiting);
    return { [Symbol.dispose]: () => void all.delete(waiting) };
  }

  function nextBy(end: number): Waiting | undefined {
    return [...all].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
  }

  return {
    now: () => 1_000_000 + now + sleptMs,
    monotonicMs: () => now,
    after: (ms, run, ...given) => add({ at: now + ms, run: () => run(...given), given: given[0] }),
    every: (everyMs, run) => add({ at: now + everyMs, run, everyMs }),
    get waiting() {
      return Array.from(all, ({ at, given }) => ({ inMs: at - now, given }));
    },
    pass,
    stall(ms) {
      now += ms;
      pass(0);
    },
    sleep(ms) {
      sleptMs += ms;
    },
  };

  function pass(ms: number): void {
    const end = now + ms;
    for (let next = nextBy(end); next !== undefined; next = nextBy(end)) {
      now = Math.max(now, next.at);
      if (next.everyMs === undefined) all.delete(next);
      else next.at += next.everyMs;
      next.run();
    }
    now = end;
  }
}
