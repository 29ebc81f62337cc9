/** API keys (docs/behavior.md#keys): scoped to one workspace, shown once. */

import type { RateRule } from './rate-limiter.ts';

export const permissions = ['read', 'write'] as const;
export type Permission = (typeof permissions)[number];

/** A key as it is kept, besides its SHA-256. Times are epoch milliseconds. */
export interface Key {
  id: string;
  workspaceId: string;
  /** A label for people. */
  name: string;
  permission: Permission;
  createdAt: number;
  /** When it was last used, to the minute; null if it never was. */
  lastUsedAt: number | null;
  /** From then on it is not valid; null if never. */
  expiresAt: number | null;
  revokedAt: number | null;
}

/** What a request needs to know about its key. Times are epoch milliseconds. */
export interface ActiveKey extends Pick<Key, 'id' | 'name' | 'workspaceId' | 'permission'> {
  /** When the account that owns the workspace expires; null if never. */
  accountExpiresAt: number | null;
  /** Whether its workspace has windows, by whatever the database says yes with. */
  hasWindows: boolean | number;
  /** When the key itself expires; null if never. */
  expiresAt: number | null;
}

/** How often a key may ask (docs/behavior.md#limit-1). */
export const keyRule = { limit: 120, windowMs: 60_000 } as const satisfies RateRule;

/** Most keys that one account may have, not counting revoked and expired ones (docs/behavior.md#key-3). */
export const activeKeysPerAccount = 20;

/** The form of every key. */
export const keyPattern = /^cp_[0-9a-f]{64}$/;
