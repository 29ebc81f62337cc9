/** What was used of late, as many entries as there may be. By `max` alone lru-cache would take the memory of all at once. */

import { LRUCache } from 'lru-cache';
import type { Timers } from '../domain/clock.ts';

export class Lru<Value extends {}> extends LRUCache<string, Value> {
  /** `timers` where entries end by themselves: lru-cache would else read the clock once a millisecond, with a timer each. */
  constructor(maxSize: number, timers?: Pick<Timers, 'monotonicMs'>) {
    const perf = timers && { now: () => timers.monotonicMs() };
    super({ maxSize, sizeCalculation: () => 1, ttlResolution: 0, ...(perf && { perf }) });
  }
}
