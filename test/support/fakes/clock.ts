/** A wall clock that only moves when told to; durations stay real, unless time is passed. */

import type { Clock } from '../../../src/domain/clock.ts';

export interface FakeClock extends Clock {
  /** Sets the wall clock, in epoch milliseconds or as ISO 8601. */
  set(at: number | string): void;
  /** Advances the wall clock, not durations. */
  advance(ms: number): void;
  /** Passes time for durations and deadlines, not for the wall clock. */
  pass(ms: number): void;
  /** Passes time for both, like a real clock. */
  advanceBoth(ms: number): void;
}

/** Makes a clock that shows `start`. */
export function fakeClock(start: number | string = '2026-03-02T10:00:00Z'): FakeClock {
  let now = timeOf(start);
  let passedMs = 0;
  return {
    now: () => now,
    monotonicMs: () => performance.now() + passedMs,
    set(at) {
      now = timeOf(at);
    },
    advance(ms) {
      now += ms;
    },
    pass(ms) {
      passedMs += ms;
    },
    advanceBoth(ms) {
      now += ms;
      passedMs += ms;
    },
  };
}

function timeOf(at: number | string): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

/** The same clock, whose durations follow its wall time. */
export function steadyClock(clock: FakeClock): Clock {
  return { now: () => clock.now(), monotonicMs: () => clock.now() };
}
