/** What must not be read by whoever gets the store is sealed before it is kept; `secrets/` does it. */

import { JobdError } from './errors.ts';

/** The tables whose rows have a sealed value, one each. */
export const sealedTables = ['jobs', 'signing_keys', 'channels'] as const;
export type SealedTable = (typeof sealedTables)[number];

/** Stands where a sealed value was given up together with its lost master key. No key opens it. */
export const givenUp = 'given up';

/** Names the row that a sealed value belongs to, so that none can pass for that of another. */
export function identityOf(table: SealedTable, id: string): string {
  return `${table}/${id}`;
}

/** Seals and opens; `identity` as `identityOf` says it. */
export interface Vault {
  /** Seals with the master key of this id, the one that the store says is active. */
  seal(keyId: string, plaintext: string, identity: string): string;
  /** Throws `unavailable` if its master key is not here, or it is not what was sealed for this row. */
  open(sealed: string, identity: string): string;
}

/** What `open` gets out of a vault; undefined of what no key that is here opens, as it was damaged or given up. */
export function ifOpens<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof JobdError) return undefined;
    throw error;
  }
}
