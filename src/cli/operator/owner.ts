/**
 * Root in a directory of somebody else's. Its owner can change at any moment what the names in it mean: a command that opens
 * them as root does with root's rights what the owner likes. So root becomes the owner first, for good, before anything in
 * the directory is opened, as `sudo -u OWNER` would. Files elsewhere that only root may open are opened before that.
 *
 * Where root stays root, as the directory is its own, nobody else may be able to change what the path means.
 */

import * as fs from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { JobdError, messageOf } from '../../domain/errors.ts';

/** The types of Node leave it out. */
type WithGroups = typeof process & { initgroups?: (user: number, group: number) => void };

/** The group of a user without an entry in the list of users. */
const nogroup = 65_534;

/** What came of it: the path to go by from now on, and what `openFirst` gave, null if it was not called. */
export interface Entered<T> {
  path: string;
  opened: T | null;
}

/**
 * Lets this process act as the owner of a directory, or of the nearest one above that is there. `openFirst` is called as
 * root before root becomes somebody else. Does nothing for anybody but root. Throws `unavailable` if that is not safe.
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
 * The name by which root may open or make a file that the operator names; null if somebody else could put another in its
 * place: then that is left to the user that root becomes.
 */
export function rootsName(file: string): string | null {
  const { path, present } = withoutLinks(file);
  const directory = present === path ? dirname(path) : present;
  return changeableBy(directory, 0) === null ? path : null;
}

/** A path by the true names of its directories, and the part of it that is there. */
function withoutLinks(path: string): { path: string; present: string } {
  try {
    const real = fs.realpathSync(path);
    return { path: real, present: real };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const above = withoutLinks(dirname(path));
    return { path: join(above.path, basename(path)), present: above.present };
  }
}

/**
 * The first directory on the way down to this one that somebody besides root and its owner could change, or null. Whom a path
 * leads to must not depend on others. Who may write in an owner's directories is that owner's business; in root's nobody may,
 * but for sticky ones, where names stay.
 */
function changeableBy(directory: string, owner: number): string | null {
  // In a container the system itself may belong to a user that has no number there.
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
    `root does not work below ${directory}, which other users can change: ${remedy}`,
  );
}

function rootsRemedy(path: string, unsafe: string): string {
  return fs.existsSync(path)
    ? `chown root ${unsafe} && chmod go-w ${unsafe}`
    : `mkdir -p -m 700 ${path}`;
}

function sayAs(uid: number): string {
  return `run sudo -u '${userName(uid)}' jobd …`;
}

/** For good: the real, effective and saved ids of all threads. */
function become(uid: number): void {
  try {
    const gid = groupOf(uid);
    if (gid === null) process.setgroups?.([]);
    else (process as WithGroups).initgroups?.(uid, gid);
    process.setgid?.(gid ?? nogroup);
    process.setuid?.(uid);
  } catch (error) {
    const sentence = `root may not become the user whom the data belongs to (${messageOf(error)}): ${sayAs(uid)}`;
    throw new JobdError('unavailable', sentence, { cause: error });
  }
}

/** The first group of a user; null if the system does not know that user. */
function groupOf(uid: number): number | null {
  return asUser(uid, () => userInfo().gid);
}

function userName(uid: number): string {
  return asUser(uid, () => userInfo().username) ?? `#${uid}`;
}

/** Node looks up nobody but the user it acts as. */
function asUser<T>(uid: number, look: () => T): T | null {
  try {
    process.seteuid?.(uid);
    return look();
  } catch {
    return null;
  } finally {
    process.seteuid?.(0);
  }
}
