/**
 * Root in a directory that belongs to another user. That user can replace any name in it by a link at any moment, and a
 * command that opens the name as root would follow. So root becomes the owner first, permanently, before it opens anything
 * in the directory, as with `sudo -u OWNER`. Files elsewhere that only root may open are opened before that.
 *
 * Root stays root in its own directory. Then no other user may be able to change where the path leads. In both cases, only
 * root and the owner may have made the links on the way.
 */

import * as fs from 'node:fs';
import { userInfo } from 'node:os';
import { JobdError, messageOf } from '../../domain/errors.ts';
import { followLinks } from './links.ts';
import { isRoot, strangeLink } from './roots-files.ts';
import { uidIn, unsafeOn } from './trust.ts';

/** Missing in the types of Node. */
type WithGroups = typeof process & { initgroups?: (user: number, group: number) => void };

/** The group of a user that the system does not know. */
const nogroup = 65_534;

const shared = new Set(['/', '/tmp', '/var', '/home']);

/** The path to use from now on, and the result of `openFirst`; null if it was not called. */
export interface Entered<T> {
  path: string;
  opened: T | null;
}

/**
 * Makes this process the owner of a directory, or of its nearest parent that exists. `openFirst` runs as root before root
 * becomes another user. Does nothing unless root runs it. Throws `unavailable` if that is not safe.
 */
export function actAsOwner<T>(directory: string, openFirst?: () => T): Entered<T> {
  if (!isRoot()) return { path: directory, opened: null };
  const followed = followLinks(directory);
  const { path, present } = followed;
  const uid = uidIn(followed.seen, present);
  const unsafe = unsafeOn(followed, present, uid);
  if (unsafe?.isLink === true) throw strangeLink(unsafe.path, 'name the directory itself');
  if (unsafe !== null) {
    throw refusal(unsafe.path, uid === 0 ? rootsRemedy(path, unsafe.path) : sayAs(uid));
  }
  if (uid === 0) return { path, opened: null };
  const opened = openFirst?.() ?? null;
  become(uid);
  return { path, opened };
}

function refusal(directory: string, remedy: string): JobdError {
  return new JobdError(
    'unavailable',
    `root does not use anything below ${directory}, which other users can change: ${remedy}`,
  );
}

/** Never to take a directory from all the users who share it. */
function rootsRemedy(path: string, unsafe: string): string {
  if (!fs.existsSync(path)) return `mkdir -p -m 700 ${path}`;
  const isSticky = (fs.lstatSync(unsafe).mode & 0o1000) !== 0;
  return isSticky || shared.has(unsafe)
    ? 'use a directory of its own'
    : `chown root ${unsafe} && chmod go-w ${unsafe}`;
}

function sayAs(uid: number): string {
  return `run sudo -u '${userName(uid)}' jobd …`;
}

/** Permanently: the real, effective and saved ids of all threads. */
function become(uid: number): void {
  try {
    const gid = groupOf(uid);
    if (gid === null) process.setgroups?.([]);
    else (process as WithGroups).initgroups?.(uid, gid);
    process.setgid?.(gid ?? nogroup);
    process.setuid?.(uid);
  } catch (error) {
    const sentence = `root cannot become the owner of the data (${messageOf(error)}): ${sayAs(uid)}`;
    throw new JobdError('unavailable', sentence, { cause: error });
  }
}

/** The primary group of a user; null if the system does not know the user. */
function groupOf(uid: number): number | null {
  return asUser(uid, () => userInfo().gid);
}

function userName(uid: number): string {
  return asUser(uid, () => userInfo().username) ?? `#${uid}`;
}

/** Node only looks up the user that it acts as. */
function asUser<T>(uid: number, read: () => T): T | null {
  try {
    process.seteuid?.(uid);
    return read();
  } catch {
    return null;
  } finally {
    process.seteuid?.(0);
  }
}
