/**
 * Files that the operator names, which root may open by itself. No other user can lead root elsewhere: not by a link, and
 * not by another file or directory of that name (docs/decisions/0026-root-and-the-data.md#root-acts-as-the-owner-of-the-data-directory).
 */

import { constants, lstatSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { JobdError } from '../../domain/errors.ts';
import { followLinks } from './links.ts';
import { unsafeOn, type Unsafe } from './trust.ts';

/** Nothing is a link any more in a path that was followed. */
const noLink = constants.O_NOFOLLOW ?? 0;
/** A pipe would block until its other end opens. */
const toRead = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The path without links, and what other users can change on it. */
interface Judged {
  path: string;
  unsafe: Unsafe | null;
}

function judgeFile(file: string): Judged {
  const followed = followLinks(file);
  const { path, present } = followed;
  return { path, unsafe: unsafeOn(followed, present === path ? dirname(path) : present, 0) };
}

/** A name for a new file is no link to follow. */
function judgeNewFile(file: string): Judged {
  const followed = followLinks(dirname(file));
  const path = join(followed.path, basename(file));
  return { path, unsafe: unsafeOn(followed, followed.present, 0) };
}

/**
 * Returns the path by which root may open a file. Null if another user could replace it, or decides where a link in it leads:
 * then the user that root becomes must open it.
 */
export function rootsName(file: string): string | null {
  const { path, unsafe } = judgeFile(file);
  return unsafe === null ? path : null;
}

/** As `rootsName`, for a file to make. */
export function rootsNewName(file: string): string | null {
  const { path, unsafe } = judgeNewFile(file);
  return unsafe === null ? path : null;
}

/** The path by which root may use a file that nobody else can have written or can replace; null if it is not one. */
export function rootsOwnName(file: string): string | null {
  const path = rootsName(file);
  if (path === null) return null;
  const { uid, gid, mode } = lstatSync(path);
  const others = gid === 0 ? 0o002 : 0o022;
  return uid === 0 && (mode & others) === 0 ? path : null;
}

/** More than any file of settings has. */
const longestRootsFile = 64 * 1024;

/** The text of a file that only root can have written; null if it is not one, or this user may not read it. Never throws. */
export function readRootsFile(file: string): string | null {
  try {
    const path = rootsOwnName(file);
    if (path === null || lstatSync(path).size > longestRootsFile) return null;
    return readFileSync(path, { encoding: 'utf8', flag: constants.O_RDONLY | noLink });
  } catch {
    return null;
  }
}

/**
 * Refuses to create a file as root where another user could replace its name by a link while it is written. Does nothing
 * once root has become another user. Throws `unavailable`.
 */
export function requireRootsName(file: string): void {
  if (!isRoot()) return;
  const { unsafe } = judgeNewFile(file);
  if (unsafe === null) return;
  const remedy = "name a file in a directory of root's";
  if (unsafe.isLink) throw strangeLink(unsafe.path, remedy);
  const sentence = `other users can change the path of ${file}, so root does not write there`;
  throw new JobdError('unavailable', `${sentence}: ${remedy}`);
}

/** Opens a file to read. Root follows no link that other users can change. Throws `unavailable`, and the errors of the system. */
export function openToRead(file: string): number {
  if (!isRoot()) return openSync(file, toRead);
  const { path, unsafe } = judgeFile(file);
  if (unsafe?.isLink === true) throw strangeLink(unsafe.path, 'name the file itself');
  return openSync(path, toRead | noLink);
}

/** The error about a link that others decide about. */
export function strangeLink(link: string, remedy: string): JobdError {
  const sentence = `root does not follow the link ${link}, which other users can change`;
  return new JobdError('unavailable', `${sentence}: ${remedy}`);
}

/** Whether root runs this process. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
