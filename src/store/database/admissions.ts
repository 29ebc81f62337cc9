/** Requests of keys that the database counts, for all processes that use it. */

import type { ActiveKey } from '../../domain/accounts/key.ts';

/** Requests of a key that ask together. */
export interface Asked {
  /** SHA-256 of the key, in hexadecimal. */
  sha256: string;
  requests: number;
}

/** What the limit of the key says to them: the first ones are admitted, the others refused. */
export interface Counted {
  admitted: number;
  /** Further requests that would be admitted after them. */
  remaining: number;
  /** Milliseconds until one more is admitted. */
  moreInMs: number;
}

/** A valid key whose requests were counted. */
export interface CountedKey extends ActiveKey, Counted {
  sha256: string;
}

/** Counts requests, by the clock of the database. Throws `unavailable`. */
export interface Admissions {
  /**
   * Counts requests of keys, each key once. Returns the keys that are valid at `now`; nothing is counted for others. Returns null
   * if the database can only be read now.
   */
  admit(keys: readonly Asked[], now: number): Promise<CountedKey[] | null>;
  /** Counts more requests of a key. Returns null if the database can only be read now, or there is no such key any more. */
  count(keyId: string, requests: number): Promise<Counted | null>;
}
