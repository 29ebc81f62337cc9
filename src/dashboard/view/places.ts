/** Where the pages of jobs, monitors and channels are. */

/** What has a list, and a page of its own. */
export type Kind = 'job' | 'monitor' | 'channel';

/** The list of each kind, and what it is called. */
export const lists: Record<Kind, { path: string; word: string }> = {
  job: { path: '/', word: 'Jobs' },
  monitor: { path: '/monitors', word: 'Monitors' },
  channel: { path: '/channels', word: 'Channels' },
};

/** Whether something has a list and pages. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(lists, name);
}

/** The page of one. */
export function pageOf(kind: Kind, id: string): string {
  return `/${kind}s/${id}`;
}
