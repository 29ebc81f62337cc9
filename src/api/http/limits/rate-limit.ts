/**
 * How often somebody may ask: at most `limit` times in any window, exactly. A ring of the last `limit`
 * admitted times decides: the next request is admitted once the oldest of them has left the window.
 *
 * A refused request is not remembered. So a client that hammers goes on at the permitted rate, instead
 * of locking itself out for as long as it hammers, and what is remembered has a bound.
 */

export interface RateRule {
  /** Requests in any window, for each subject. */
  limit: number;
  windowMs: number;
  /** Subjects remembered at most; beyond, the one that asked longest ago is forgotten. */
  subjects: number;
}

export interface RateLimiter {
  /** Whether the subject may ask at `now`, monotonic milliseconds; if it may, this is remembered. */
  admit(subject: string, now: number): boolean;
  /** How many subjects are remembered. */
  readonly size: number;
}

/** Admitted times; once there are `limit` of them, `oldest` is the place of the oldest one. */
interface Ring {
  times: number[];
  oldest: number;
}

/** Makes a limiter that has seen nobody yet. */
export function createRateLimiter({ limit, windowMs, subjects }: RateRule): RateLimiter {
  // In the order in which subjects asked last: the first one asked longest ago.
  const rings = new Map<string, Ring>();

  const forgetOld = (now: number): void => {
    for (const [subject, ring] of rings) {
      if (rings.size <= subjects && now - newestOf(ring) < windowMs) return;
      rings.delete(subject);
    }
  };

  return {
    admit(subject, now) {
      const ring = rings.get(subject) ?? { times: [], oldest: 0 };
      rings.delete(subject);
      rings.set(subject, ring);
      const admitted = takePlace(ring, now, limit, windowMs);
      forgetOld(now);
      return admitted;
    },
    get size() {
      return rings.size;
    },
  };
}

function takePlace(ring: Ring, now: number, limit: number, windowMs: number): boolean {
  const { times, oldest } = ring;
  if (times.length < limit) {
    times.push(now);
    return true;
  }
  if (now - (times[oldest] ?? -Infinity) < windowMs) return false;
  times[oldest] = now;
  ring.oldest = (oldest + 1) % limit;
  return true;
}

/** Until the ring is full, the place before the oldest (which is 0) is the last one. */
function newestOf({ times, oldest }: Ring): number {
  return times.at(oldest - 1) ?? -Infinity;
}
