/** Notices what keeps a process from starting runs for a while, so that a run that was missed for it says so. */

import type { Clock } from '../../domain/clock.ts';
import type { Hindrance } from '../../domain/runs/due.ts';
import { clockStepMs } from '../clock-watch.ts';

/** Who looks for due jobs does so every second, every 5 s after a failure: after a longer gap the process stood still. */
const longestGapMs = 10_000;
/** All slots in use for this long, or those of a workspace, are a shortage: what waits then may be missed soon. In a storm they are for moments. */
const longFullMs = 30_000;
/** The most that are remembered. */
const mostKept = 20;

export interface Hindrances {
  /** To be called before each look for due jobs. */
  readonly look: () => void;
  /** To be called after each look: whether the database could be used. */
  readonly ended: (isUsable: boolean) => void;
  /** To be called after each change of the slots: whether all are in use, or those of a workspace. */
  readonly filled: (isFull: boolean) => void;
  /** That all slots are in use, up to now; null unless that lasts. */
  readonly shortage: () => Hindrance | null;
  /** The last ones, the newest last: also a step of the wall clock that came since the look began. */
  readonly known: () => readonly Hindrance[];
}

/** Makes a memory of them. */
export function createHindrances(clock: Clock): Hindrances {
  const kept: Hindrance[] = [];
  let seenAt = clock.now();
  let seenMs = clock.monotonicMs();
  let outage: Hindrance | null = null;
  let fullSince: number | null = null;

  function keep(hindrance: Hindrance): Hindrance {
    kept.push(hindrance);
    if (kept.length > mostKept) kept.shift();
    return hindrance;
  }

  /** Looks at the clocks. Returns how long ago it did so before. Notes a step of the wall clock, also one during a look for jobs. */
  function see(now: number): number {
    const monotonicMs = clock.monotonicMs();
    const passedMs = monotonicMs - seenMs;
    const gainedMs = now - seenAt - passedMs;
    if (gainedMs >= clockStepMs && passedMs < longestGapMs) {
      keep({ reason: 'clock', from: now - gainedMs, until: now });
    }
    seenAt = now;
    seenMs = monotonicMs;
    return passedMs;
  }

  function shortage(): Hindrance | null {
    const until = clock.now();
    if (fullSince === null || until - fullSince < longFullMs) return null;
    return { reason: 'slots', from: fullSince, until };
  }

  return {
    look() {
      const now = clock.now();
      const from = seenAt;
      if (see(now) >= longestGapMs) keep({ reason: 'standstill', from, until: now });
      if (outage !== null) outage.until = now;
    },
    ended(isUsable) {
      const now = clock.now();
      if (isUsable) outage = null;
      else outage ??= keep({ reason: 'outage', from: seenAt, until: now });
      see(now);
    },
    filled(isFull) {
      const ended = isFull ? null : shortage();
      if (ended !== null) keep(ended);
      fullSince = isFull ? (fullSince ?? clock.now()) : null;
    },
    shortage,
    known() {
      see(clock.now());
      const now = shortage();
      return now === null ? kept : [...kept, now];
    },
  };
}
