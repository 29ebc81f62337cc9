/** A rate limit: how many requests of a subject any window of time may contain. */

/** At most `limit` requests in any window. */
export interface RateRule {
  limit: number;
  windowMs: number;
}

/** A limit that one process counts in its memory. */
export interface LimiterRule extends RateRule {
  /** How many subjects are remembered. Beyond that, the one that asked longest ago is forgotten. */
  subjects: number;
}

/** What a subject may still ask. */
export interface Left {
  /** Whether this request was admitted, and those that it was asked with. */
  isAdmitted: boolean;
  /** Further requests that would be admitted now. */
  remaining: number;
  /** Milliseconds until one more is admitted. */
  moreInMs: number;
}

export interface RateLimiter {
  /** Counts requests of the subject at `now`, in monotonic milliseconds, one after the other until one is over the limit. */
  ask(subject: string, now: number, requests?: number): Left;
  /** How many subjects are remembered. */
  readonly size: number;
}

/** A ring of admitted times: the last `count` of them, before the index `next`, are in the window. */
interface Ring {
  times: number[];
  next: number;
  count: number;
}

/**
 * Creates a limiter. A request is admitted if fewer than `limit` admitted times are in the window that ends with it. Refused
 * requests are not remembered, so a client that keeps asking continues at the permitted rate and needs bounded memory.
 */
export function createRateLimiter({ limit, windowMs, subjects }: LimiterRule): RateLimiter {
  /** The subject that asked longest ago is the first. */
  const rings = new Map<string, Ring>();

  const forgetOld = (now: number): void => {
    for (const [subject, { times, next }] of rings) {
      const newest = times.at(next - 1) ?? -Infinity;
      if (rings.size <= subjects && now - newest < windowMs) return;
      rings.delete(subject);
    }
  };

  const oldestOf = ({ times, next, count }: Ring): number =>
    times[(next - count + limit) % limit] ?? -Infinity;

  const takePlace = (ring: Ring, now: number): Left => {
    while (ring.count > 0 && now - oldestOf(ring) >= windowMs) ring.count -= 1;
    const isAdmitted = ring.count < limit;
    if (isAdmitted) {
      ring.times[ring.next] = now;
      ring.next = (ring.next + 1) % limit;
      ring.count += 1;
    }
    return {
      isAdmitted,
      remaining: limit - ring.count,
      moreInMs: windowMs - (now - oldestOf(ring)),
    };
  };

  return {
    ask(subject, now, requests = 1) {
      const ring = rings.get(subject) ?? { times: [], next: 0, count: 0 };
      rings.delete(subject);
      rings.set(subject, ring);
      let left = takePlace(ring, now);
      for (let taken = 1; taken < requests && left.isAdmitted; taken += 1) {
        left = takePlace(ring, now);
      }
      forgetOld(now);
      return left;
    },
    get size() {
      return rings.size;
    },
  };
}
