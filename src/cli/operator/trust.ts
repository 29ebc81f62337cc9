/** Who, besides root and the owner of what a path leads to, could change where it leads. */

import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { Followed } from './links.ts';

/** What other users can change on a path. */
export interface Unsafe {
  path: string;
  isLink: boolean;
}

/**
 * The first link that root and `owner` do not decide about, else the first directory on the way to `directory` that others
 * can change; null if there is neither. It judges what was seen while the links were followed: since nobody else could
 * change the parts before, each was still the same when the next one was looked at.
 */
export function unsafeOn(
  { links, seen }: Followed,
  directory: string,
  owner: number,
): Unsafe | null {
  const trusted = trustedBy(seen, owner);
  const isFixed = (link: string): boolean =>
    trusted.has(uidIn(seen, link)) && changeable(seen, dirname(link), trusted, null) === null;
  const link = links.find((each) => !isFixed(each));
  if (link !== undefined) return { path: link, isLink: true };
  // An owner may open its own directories to others, but no link in them leads root.
  const path = changeable(seen, directory, trusted, owner === 0 ? null : owner);
  return path === null ? null : { path, isLink: false };
}

function trustedBy(seen: Followed['seen'], owner: number): ReadonlySet<number> {
  const [system] = seen.values();
  // In a container, the system itself may belong to a user without a number there.
  return new Set([0, owner, ...(system === undefined ? [] : [system.uid])]);
}

/**
 * The first directory on the way that somebody besides the trusted could change, or null: one of somebody else, or one in
 * which others may write. Above the last, sticky ones may be open, as names of the trusted stay there, and so may those of
 * `open`.
 */
function changeable(
  seen: Followed['seen'],
  directory: string,
  trusted: ReadonlySet<number>,
  open: number | null,
): string | null {
  for (const each of withParents(directory)) {
    const { uid, gid, mode } = statsIn(seen, each);
    const others = gid === 0 ? 0o002 : 0o022;
    const isSticky = (mode & 0o1000) !== 0 && each !== directory;
    const isOpen = uid !== open && (mode & others) !== 0 && !isSticky;
    if (!trusted.has(uid) || isOpen) return each;
  }
  return null;
}

function withParents(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...withParents(parent), directory];
}

/** The user that a part belonged to when it was passed. */
export function uidIn(seen: Followed['seen'], path: string): number {
  return statsIn(seen, path).uid;
}

function statsIn(seen: Followed['seen'], path: string): Stats {
  const stats = seen.get(path);
  if (stats === undefined) throw new Error(`${path} was not passed`);
  return stats;
}
