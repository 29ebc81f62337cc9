/** API keys (docs/behavior.md#keys): scoped to one workspace, shown once. */

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

/** Most keys that one account may have, not counting revoked and expired ones (docs/behavior.md#key-3). */
export const activeKeysPerAccount = 20;

/** The form of every key. */
export const keyPattern = /^cp_[0-9a-f]{64}$/;
