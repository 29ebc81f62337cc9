/**
 * Two clocks that must not be mixed. The wall clock decides when something is due and is shown to people; it may
 * step. The monotonic clock measures durations and deadlines; it never steps.
 */
export interface Clock extends Timers {
  /** Wall time, in milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The monotonic clock. */
export interface Timers {
  /** Milliseconds since an arbitrary start; only differences have a meaning. */
  monotonicMs(): number;
  /** Calls `run` with what is given after `ms`, unless the result is disposed of first. */
  after<Given extends unknown[]>(
    ms: number,
    run: (...given: Given) => void,
    ...given: Given
  ): Disposable;
  /** Calls `run` each `ms`, until the result is disposed of. Keeps no process alive. */
  every(ms: number, run: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (ms, run, ...given) => setTimeout(run, Math.max(ms, 0), ...given),
  every: (ms, run) => setInterval(run, ms).unref(),
};

/** Resolves after `ms` of a clock. Rejects with the signal's reason as soon as that is aborted. */
export function rest(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** From this on a clock is wrong that others go by too, in milliseconds. */
export const wrongClockMs = 2_000;

/** Wall time as the API writes it: ISO 8601, UTC, milliseconds, `Z`. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** The same; null stays null. */
export function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

/** Milliseconds of a day, by the wall clock in UTC. */
export const msPerDay = 86_400_000;

const isoDate = /(\d{4})-(\d\d)-(\d\d)/;
const isoClock = /(?:[01]\d|2[0-3]):[0-5]\d/;
const isoPattern = new RegExp(
  `^${isoDate.source}T${isoClock.source}(?::[0-5]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]${isoClock.source})$`,
);

/**
 * Reads an ISO 8601 date and time with `Z` or an offset; seconds and their fractions are optional (the form of
 * RFC 3339). Null for any other text and for dates that do not exist.
 */
export function parseIsoTime(text: string): number | null {
  const [, year, month, day] = (isoPattern.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= lastDay ? Date.parse(text) : null;
}
