/** A clock that only moves when told to, wall time and durations. */

import { systemClock, type Clock } from '../../../src/domain/clock.ts';

export interface FakeClock extends Clock {
  /** Sets the wall clock, in epoch milliseconds or as ISO 8601. No timer ends by that. */
  set(at: number | string): void;
  /** Advances the wall clock, not durations. */
  advance(ms: number): void;
  /** Passes time for durations and deadlines, not for the wall clock. */
  pass(ms: number): void;
  /** Passes time for both, like a real clock. */
  advanceBoth(ms: number): void;
  /** How long its timers have left, in milliseconds, the shortest first. */
  leftMs(): number[];
}

interface Timer {
  /** When it is over, by the wall clock and by the other one. */
  at: number;
  endMs: number;
  readonly end: () => void;
}

/**
 * Makes a clock that shows `start`. Its timers end when either half of it was moved on as far, so that nobody waits for a loop
 * to notice that. Where they are `real`, each also ends after its real time, at which both halves still stand: for tests that
 * need not know when something rests.
 */
export function fakeClock(
  start: number | string = '2026-03-02T10:00:00Z',
  { timers: kind = 'real' }: { timers?: 'real' | 'fake' } = {},
): FakeClock {
  let now = timeOf(start);
  let passedMs = 0;
  const timers = new Set<Timer>();

  function move(wallMs: number, durationMs: number): void {
    now += wallMs;
    passedMs += durationMs;
    const over = [...timers].filter(({ at, endMs }) => at <= now || endMs <= passedMs);
    for (const timer of over.toSorted((one, other) => one.endMs - other.endMs)) {
      // One that ended before may have cancelled it.
      if (timers.has(timer)) timer.end();
    }
  }

  return {
    now: () => now,
    monotonicMs: () => passedMs,
    after(ms, run, ...given) {
      const cancel = (): void => {
        timers.delete(timer);
        clearTimeout(real);
      };
      const end = (): void => {
        cancel();
        run(...given);
      };
      const timer = { at: now + ms, endMs: passedMs + ms, end };
      timers.add(timer);
      const real = kind === 'real' ? setTimeout(end, ms) : undefined;
      return { [Symbol.dispose]: cancel };
    },
    every: (ms, run) => systemClock.every(ms, run),
    set(at) {
      now = timeOf(at);
    },
    advance: (ms) => move(ms, 0),
    pass: (ms) => move(0, ms),
    advanceBoth: (ms) => move(ms, ms),
    leftMs: () =>
      Array.from(timers, ({ endMs }) => endMs - passedMs).toSorted((one, other) => one - other),
  };
}

function timeOf(at: number | string): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

/** The same clock, whose durations follow its wall time. */
export function steadyClock(clock: FakeClock): Clock {
  return { ...clock, monotonicMs: () => clock.now() };
}
