/** How late runs began in the last hour: a histogram for each minute. Values have two significant digits. */

import { createHistogram } from 'node:perf_hooks';
import type { RecordableHistogram } from 'node:perf_hooks';
import type { Clock } from '../domain/clock.ts';
import type { Lateness } from '../domain/runs/meter.ts';

const minutes = 60;
const msPerMinute = 60_000;
/** A run that would begin over a minute late is missed, so larger values are rare. */
const range = { lowest: 1, highest: 10 * msPerMinute, figures: 2 };

export interface LatenessWindow {
  /** Adds a run that began this late, in milliseconds. A negative value (a clock set back) counts as on time. */
  readonly note: (latenessMs: number) => void;
  readonly read: () => Lateness;
}

/** Makes an empty window. */
export function createLatenessWindow(clock: Pick<Clock, 'monotonicMs'>): LatenessWindow {
  const byMinute = new Map<number, RecordableHistogram>();
  const minuteNow = (): number => Math.floor(clock.monotonicMs() / msPerMinute);

  function dropOld(): void {
    const oldest = minuteNow() - minutes;
    for (const minute of byMinute.keys()) if (minute <= oldest) byMinute.delete(minute);
  }

  return {
    note(latenessMs) {
      const minute = minuteNow();
      let histogram = byMinute.get(minute);
      if (histogram === undefined) {
        dropOld();
        histogram = createHistogram(range);
        byMinute.set(minute, histogram);
      }
      // A histogram has no 0, so everything is counted one higher.
      histogram.record(Math.min(Math.max(Math.round(latenessMs), 0) + 1, range.highest));
    },
    read() {
      dropOld();
      const sum = createHistogram(range);
      for (const histogram of byMinute.values()) sum.add(histogram);
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
