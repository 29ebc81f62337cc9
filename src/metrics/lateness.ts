/** How late runs began in the last hour, minute by minute. */

import type { Clock } from '../domain/clock.ts';
import { countedLateness, latenessOf, sumOfLateness } from '../domain/runs/lateness.ts';
import type { Lateness, LatenessCounts } from '../domain/runs/lateness.ts';

const minutes = 60;
const msPerMinute = 60_000;

export interface LatenessWindow {
  /** Adds a run that began this late, in milliseconds. */
  readonly note: (latenessMs: number) => void;
  readonly counts: () => LatenessCounts;
  /** The figures, also of the counts of others. */
  readonly read: (others?: readonly LatenessCounts[]) => Lateness;
}

/** Makes an empty window. */
export function createLatenessWindow(clock: Pick<Clock, 'monotonicMs'>): LatenessWindow {
  const byMinute = new Map<number, Map<number, number>>();
  const minuteNow = (): number => Math.floor(clock.monotonicMs() / msPerMinute);

  function dropOld(): void {
    const oldest = minuteNow() - minutes;
    for (const minute of byMinute.keys()) if (minute <= oldest) byMinute.delete(minute);
  }

  function counts(): LatenessCounts {
    dropOld();
    return sumOfLateness(byMinute.values());
  }

  return {
    note(latenessMs) {
      const minute = minuteNow();
      let seen = byMinute.get(minute);
      if (seen === undefined) {
        dropOld();
        seen = new Map();
        byMinute.set(minute, seen);
      }
      const ms = countedLateness(latenessMs);
      seen.set(ms, (seen.get(ms) ?? 0) + 1);
    },
    counts,
    read: (others = []) => latenessOf(sumOfLateness([counts(), ...others]), minutes * 60),
  };
}
