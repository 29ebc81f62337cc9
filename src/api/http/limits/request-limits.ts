/** The two limits of requests: per key, and per address for all without a valid key. */

import type { IncomingMessage } from 'node:http';
import { parseAddress } from '../../../domain/targets/address.ts';
import type { Clock } from '../../../domain/clock.ts';
import { JobdError } from '../../../domain/errors.ts';
import { connectionOf } from './connection.ts';
import { createRateLimiter } from './rate-limit.ts';

/** What one key may ask. */
const keyRule = { limit: 120, windowMs: 60_000, subjects: 10_000 } as const;

/** What one address may ask without a valid key; 10,000 full ones take about 31 MB. */
const addressRule = { limit: 300, windowMs: 60_000, subjects: 10_000 } as const;

/**
 * They know nothing of each other: a valid key is never held up by its address. A request counts once, wherever it is found
 * to have no valid key; the answer that refuses one for its address ends the connection.
 */
export interface RequestLimits {
  /** Counts a request that came with this valid key. Throws `rate_limited`. */
  countKey(keyId: string): void;
  /** Says that a request does not count for its address: it has a valid key, or pings a monitor. */
  countElsewhere(request: IncomingMessage): void;
  /** Counts a request for its address unless that was done, or it counts elsewhere. Throws `rate_limited`. */
  countAddress(request: IncomingMessage): void;
  /** Whether one more request of this group of addresses is within the limit; it is counted. */
  admits(addressGroup: string): boolean;
}

/** Why a request is refused for its address. The wait is the one that users were promised, whatever is left of the window. */
export const tooManyOfAddress = tooMany(
  `without a valid key an address may ask ${addressRule.limit} times a minute`,
);

/** Makes the limits of one server; they live in memory and start anew with it. */
export function createRequestLimits(clock: Clock): RequestLimits {
  const keys = createRateLimiter(keyRule);
  const addresses = createRateLimiter(addressRule);
  const admits = (group: string): boolean => addresses.admit(group, clock.monotonicMs());
  return {
    countKey(keyId) {
      if (keys.admit(keyId, clock.monotonicMs())) return;
      throw tooMany(`a key may ask ${keyRule.limit} times a minute`);
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
      if (admits(connection.addressGroup)) return;
      connection.stopReading();
      turn.response.setHeader('connection', 'close');
      throw tooManyOfAddress;
    },
    admits,
  };
}

/**
 * Whom an address stands for: one IPv4 address, also where it is written as IPv6 (RFC 4291 section
 * 2.5.5.2), or a /64 of IPv6, which is what one network has.
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
