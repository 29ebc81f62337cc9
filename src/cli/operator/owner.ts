/**
 * Root in a directory that belongs to another user. That user can replace any name in it by a link at any moment, and a
 * command that opens the name as root would follow. So root becomes the owner first, permanently, before it opens anything
 * in the directory, as with `sudo -u OWNER`. Files elsewhere that only root may open are opened before that.
 *
 * Root stays root in its own directory. Then no other user may be able to change where the path leads.
 */

import * as fs from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { JobdError, messageOf, systemCode } from '../../domain/errors.ts';

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
  if (process.geteuid?.() !== 0) return { path: directory, opened: null };
  const { path, present } = withoutLinks(directory);
  const { uid } = fs.lstatSync(present);
  const unsafe = changeableBy(present, uid);
  if (unsafe !== null) throw refusal(unsafe, uid === 0 ? rootsRemedy(path, unsafe) : sayAs(uid));
  if (uid === 0) return { path, opened: null };
  const opened = openFirst?.() ?? null;
  become(uid);
  return { path, opened };
}

/**
 * Returns the path by which root may open or create a file that the operator names. Null if another user could replace it:
 * then the user that root becomes must open it.
 */
export function rootsName(file: string): string | null {
  const { path, present } = withoutLinks(file);
  const directory = present === path ? dirname(path) : present;
  return changeableBy(directory, 0) === null ? path : null;
}

/** More than any file of settings has. */
const longestRootsFile = 64 * 1024;

/** The text of a file that only root can have written; null if it is not one, or this user may not read it. Never throws. */
export function readRootsFile(file: string): string | null {
  try {
    const path = rootsName(file);
    if (path === null) return null;
    const { uid, gid, mode, size } = fs.lstatSync(path);
    const others = gid === 0 ? 0o002 : 0o022;
    const isRoots = uid === 0 && (mode & others) === 0;
    return isRoots && size <= longestRootsFile ? fs.readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/**
 * Refuses to create a file as root where another user could replace its name by a link while it is written. Does nothing
 * once root has become another user. Throws `unavailable`.
 */
export function requireRootsName(file: string): void {
  if (process.geteuid?.() !== 0 || rootsName(file) !== null) return;
  const sentence = `other users can change the path of ${file}, so root does not write there`;
  throw new JobdError('unavailable', `${sentence}: name a file in a directory of root's`);
}

/** Resolves links in a path. `present` is the part of it that exists. */
function withoutLinks(path: string): { path: string; present: string } {
  try {
    const real = fs.realpathSync(path);
    return { path: real, present: real };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    const above = withoutLinks(dirname(path));
    return { path: join(above.path, basename(path)), present: above.present };
  }
}

/**
 * The first directory on the path that somebody besides root and `owner` could change, or null. An owner may open its own
 * directories to others. In root's directories nobody else may write, except sticky ones above, where names stay.
 */
function changeableBy(directory: string, owner: number): string | null {
  // In a container, the system itself may belong to a user without a number there.
  const trusted = new Set([0, owner, fs.lstatSync('/').uid]);
  for (const each of withParents(directory)) {
    const { uid, gid, mode } = fs.lstatSync(each);
    const others = gid === 0 ? 0o002 : 0o022;
    const isSticky = (mode & 0o1000) !== 0 && each !== directory;
    const isOwners = owner !== 0 && uid === owner;
    const isOpen = !isOwners && (mode & others) !== 0 && !isSticky;
    if (!trusted.has(uid) || isOpen) return each;
  }
  return null;
}

function withParents(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...withParents(parent), directory];
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
