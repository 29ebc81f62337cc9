/** Workspaces: what a key reaches, with all that belongs to it. */

/** Times are epoch milliseconds. */
export interface Workspace {
  id: string;
  /** Unique; what commands call it by. */
  name: string;
  accountId: string;
  createdAt: number;
}
