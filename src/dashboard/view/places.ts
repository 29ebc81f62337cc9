/** Where pages are, and what they are called. */

/** What has a list, and a page of its own. */
export type Kind = 'job' | 'monitor' | 'channel';

/** The list of each kind, and what it is called. */
export const lists: Record<Kind, { to: string; word: string }> = {
  job: { to: '/', word: 'Jobs' },
  monitor: { to: '/monitors', word: 'Monitors' },
  channel: { to: '/channels', word: 'Channels' },
};

/** The pages that one gets to from everywhere: their names, and the key that leads there after `g`. */
export const places = [
  { ...lists.job, key: 'j' },
  { ...lists.monitor, key: 'm' },
  { ...lists.channel, key: 'c' },
  { to: '/timetable', word: 'Timetable', key: 'i' },
  { to: '/trouble', word: 'Trouble', key: 't' },
  { to: '/audit', word: 'Audit', key: 'a' },
  { to: '/settings', word: 'Settings', key: 's' },
] as const;

/** Whether something has a list and pages. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(lists, name);
}

/** The page of one. */
export function pageOf(kind: Kind, id: string): string {
  return `/${kind}s/${id}`;
}
