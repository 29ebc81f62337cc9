/** API keys (spec section 5): scoped to one workspace, shown once. */

export const permissions = ['read', 'write'] as const;
export type Permission = (typeof permissions)[number];

/** What is kept of a key besides its SHA-256. Times are epoch milliseconds. */
export interface Key {
  id: string;
  workspaceId: string;
  /** A label for people. */
  name: string;
  permission: Permission;
  createdAt: number;
  revokedAt: number | null;
}

/** The form of every key. */
export const keyPattern = /^cp_[0-9a-f]{64}$/;
