/** Time as calls need it. It goes by itself, except in tests, which pass it. */
export interface Timers {
  /** Milliseconds since an arbitrary start; only differences have a meaning. */
  monotonicMs(): number;
  /** Calls `run(given)` once, `ms` from now, unless the result is disposed of before. */
  after<Given>(ms: number, run: (given: Given) => void, given: Given): Disposable;
  /** Calls `run` each `ms`, until the result is disposed of. Keeps no process alive. */
  every(ms: number, run: () => void): Disposable;
}

/** The timers of this thread. */
export const systemTimers: Timers = {
  monotonicMs: () => performance.now(),
  after: (ms, run, given) => setTimeout(run, ms, given),
  every: (ms, run) => setInterval(run, ms).unref(),
};
