/**
 * The rate limits: one per key, one for the sessions of a key together, one per session of a link, and two per address for
 * requests without any. They are independent, so a valid key is never limited by its address, an open page does not use up
 * what the scripts of its key may ask, and reloading pages locks nobody out of signing in.
 */

import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../../app/app.ts';
import type { Clock } from '../../../domain/clock.ts';
import { JobdError } from '../../../domain/errors.ts';
import { parseAddress } from '../../../domain/targets/address.ts';
import { connectionOf } from './connection.ts';
import type { Allowance } from './connection.ts';

/** At most `limit` requests in any window. */
export interface RateRule {
  limit: number;
  windowMs: number;
  /** How many subjects are remembered. Beyond that, the one that asked longest ago is forgotten. */
  subjects: number;
}

const keyRule: RateRule = { limit: 120, windowMs: 60_000, subjects: 10_000 };
const sessionRule: RateRule = { limit: 300, windowMs: 60_000, subjects: 10_000 };
/** For each allowance of an address. 10,000 addresses at their limit take about 31 MB. */
const addressRule: RateRule = { limit: 300, windowMs: 60_000, subjects: 10_000 };

/** What the limits know of a principal. */
export interface Asker extends Pick<Principal, 'keyId'> {
  actor: Pick<Principal['actor'], 'type' | 'id'>;
}

/** A request counts once, when it turns out to have no valid key. If that exceeds the limit, its connection is closed. */
export interface RequestLimits {
  /** Counts a request of this key or session; sessions of one key together, or more sessions would lift its limit. Throws `rate_limited`. */
  countAsker(asker: Asker): void;
  /** Exempts a request from its address's limit: it has a valid key or session, or pings a monitor. */
  countElsewhere(request: IncomingMessage): void;
  /** Counts a request for its address, unless it is counted or exempt already. Throws `rate_limited`. */
  countAddress(request: IncomingMessage): void;
  /** Counts one more request of this group of addresses. Returns whether it is within the limit. */
  admits(addressGroup: string, allowance?: Allowance): boolean;
}

/** The refusals of a request for its address. The wait is the one promised to users, not the rest of the window. */
export const tooManyOfAddress: Readonly<Record<Allowance, JobdError>> = {
  pages: tooMany(`an address may load ${addressRule.limit} pages and files a minute`),
  requests: tooMany(`without a valid key an address may ask ${addressRule.limit} times a minute`),
};

/** Creates the limits of one server. They are kept in memory and start empty. */
export function createRequestLimits(clock: Clock): RequestLimits {
  const keys = createRateLimiter(keyRule);
  const sessions = createRateLimiter(sessionRule);
  const addresses = {
    pages: createRateLimiter(addressRule),
    requests: createRateLimiter(addressRule),
  };
  const admits = (group: string, allowance: Allowance = 'requests'): boolean =>
    addresses[allowance].admit(group, clock.monotonicMs());
  return {
    countAsker({ actor: { type, id }, keyId }) {
      const [limiter, rule] = type === 'session' ? [sessions, sessionRule] : [keys, keyRule];
      if (limiter.admit(keyId ?? id, clock.monotonicMs())) return;
      const who = keyId === null ? `a ${type}` : 'the sessions of a key together';
      throw tooMany(`${who} may ask ${rule.limit} times a minute`);
    },
    countElsewhere({ socket }) {
      const turn = connectionOf(socket)?.turn;
      if (turn !== undefined) turn.isCounted = true;
    },
    countAddress({ socket }) {
      const connection = connectionOf(socket);
      const turn = connection?.turn;
      if (connection === undefined || turn === undefined || turn.isCounted) return;
      turn.isCounted = true;
      if (admits(connection.addressGroup, turn.allowance)) return;
      connection.stopReading();
      turn.response.setHeader('connection', 'close');
      throw tooManyOfAddress[turn.allowance];
    },
    admits,
  };
}

/**
 * Counts a request that does much work as one request for each `perRequest` items. The request itself has been counted
 * already. Throws `rate_limited`.
 */
export function countItems(
  limits: RequestLimits,
  asker: Asker,
  items: number,
  perRequest: number,
): void {
  for (let counted = perRequest; counted < items; counted += perRequest) limits.countAsker(asker);
}

/**
 * The addresses that share a limit: a single IPv4 address, also when written as IPv6 (RFC 4291 section 2.5.5.2), or a /64 of
 * IPv6, which is what one network has.
 */
export function addressGroup(text: string | undefined): string {
  const address = parseAddress(text?.split('%', 1)[0] ?? '');
  if (address === null) return 'unknown';
  const { family, value } = address;
  if (family === 4) return `4:${value}`;
  return value >> 32n === 0xffffn ? `4:${value & 0xffffffffn}` : `6:${value >> 64n}`;
}

function tooMany(rule: string): JobdError {
  return new JobdError('rate_limited', `${rule}, try again later`, { retryAfterSeconds: 60 });
}

export interface RateLimiter {
  /** Whether the subject may ask at `now`, in monotonic milliseconds. If so, the request is counted. */
  admit(subject: string, now: number): boolean;
  /** How many subjects are remembered. */
  readonly size: number;
}

/** A ring of admitted times. Once it has `limit` entries, `oldest` is the index of the oldest one. */
interface Ring {
  times: number[];
  oldest: number;
}

/**
 * Creates a limiter. A request is admitted once the oldest of the last `limit` admitted times has left the window. Refused
 * requests are not remembered, so a client that keeps asking continues at the permitted rate and needs bounded memory.
 */
export function createRateLimiter({ limit, windowMs, subjects }: RateRule): RateLimiter {
  /** The subject that asked longest ago is the first. */
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

/** While the ring is not full, `oldest` is 0, and the entry before it is the last one. */
function newestOf({ times, oldest }: Ring): number {
  return times.at(oldest - 1) ?? -Infinity;
}
