/**
 * How late runs begin, over the last hour: a histogram for each minute, of which the oldest goes as a new one
 * comes. Values are kept to two significant digits.
 */

import { createHistogram } from 'node:perf_hooks';
import type { RecordableHistogram } from 'node:perf_hooks';
import type { Clock } from '../domain/clock.ts';
import type { Lateness } from '../domain/runs/meter.ts';

const minutes = 60;
const msPerMinute = 60_000;
/** A run that begins later than a minute is a missed one; more than this is not told apart. */
const range = { lowest: 1, highest: 10 * msPerMinute, figures: 2 };

export interface LatenessWindow {
  /** Takes in a run that began this late, in milliseconds; a clock that was set back counts as on time. */
  readonly note: (latenessMs: number) => void;
  readonly read: () => Lateness;
}

/** Makes a window that nothing is in. */
export function createLatenessWindow(clock: Pick<Clock, 'monotonicMs'>): LatenessWindow {
  const slots = new Map<number, RecordableHistogram>();
  const minuteNow = (): number => Math.floor(clock.monotonicMs() / msPerMinute);

  function slotOf(minute: number): RecordableHistogram {
    const known = slots.get(minute);
    if (known !== undefined) return known;
    for (const old of slots.keys()) if (old <= minute - minutes) slots.delete(old);
    const slot = createHistogram(range);
    slots.set(minute, slot);
    return slot;
  }

  return {
    note(latenessMs) {
      // Counted from 1: a histogram has no 0.
      const value = Math.min(Math.max(Math.round(latenessMs), 0) + 1, range.highest);
      slotOf(minuteNow()).record(value);
    },
    read() {
      const sum = createHistogram(range);
      const oldest = minuteNow() - minutes;
      for (const [minute, slot] of slots) if (minute > oldest) sum.add(slot);
      const figure = (value: number): number | null => (sum.count === 0 ? null : value - 1);
      return {
        windowSeconds: minutes * 60,
        p50Ms: figure(sum.percentile(50)),
        p99Ms: figure(sum.percentile(99)),
        maxMs: figure(sum.max),
      };
    },
  };
}
