/**
 * Puts a library that the program carries into a file, as the system loads libraries only from files. What is
 * loaded must be what was carried, whoever else is on the machine:
 *
 * - the directory is opened once, must belong to this user and be writable by nobody else, and is no link;
 * - the file in it, named by its SHA-256, is opened once, and is taken only if it is this user's and holds the same
 *   bytes; else it is written anew, beside, and renamed;
 * - what is loaded is that open file and not what then has its name.
 *
 * The name keeps two versions apart, which may run side by side.
 */

import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { JobdError, systemCode } from '../../domain/errors.ts';
import { replaceFile } from '../../whole-file.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/** Files of other versions go after so long; one that still runs has its own open, or writes it again. */
const keptMs = 30 * 24 * 60 * 60 * 1_000;

/** An open file that holds exactly `bytes`, for loading; the caller closes it. */
export interface Unpacked extends Disposable {
  /** Under this name the system finds it, also when another file takes its place. */
  path: string;
}

/** Unpacks into a directory, which is made if it is not there. Throws with a sentence if it must not be used. */
export function unpack(directory: string, bytes: Uint8Array): Unpacked {
  using place = openDirectory(directory);
  const name = `${createHash('sha256').update(bytes).digest('hex')}.node`;
  const path = join(place.path, name);
  const present = openSame(path, bytes);
  if (present !== null) return present;
  replaceFile(path, join(place.path, `${randomUUID()}.new`), bytes, 0o500);
  removeOld(place.path, name);
  const written = openSame(path, bytes);
  if (written !== null) return written;
  throw new JobdError('unavailable', `${directory} does not keep what is written there`);
}

/** An open file or directory, under a name that means this very one. */
function opened(fd: number, path: string): Unpacked {
  const own = `/proc/self/fd/${fd}`;
  return {
    path: fs.existsSync(own) ? own : path, // where /proc is not mounted
    [Symbol.dispose]: () => fs.closeSync(fd),
  };
}

function openDirectory(directory: string): Unpacked {
  if (!fs.existsSync(directory)) makeDirectory(directory);
  const fd = fs.openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const { uid, mode } = fs.fstatSync(fd);
    if (uid !== process.geteuid?.()) throw new Error(`belongs to another user (${uid})`);
    if ((mode & 0o022) !== 0) throw new Error('can be written by other users');
    return opened(fd, directory);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Only inside of what is this user's: its directory in that of somebody else would lock the owner out. */
function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  if (!fs.existsSync(parent)) makeDirectory(parent);
  if (fs.statSync(parent).uid !== process.geteuid?.())
    throw new Error('would be inside of another user’s');
  fs.mkdirSync(directory, { mode: 0o700 });
}

/** Opens the file if it is this user's and holds these bytes; null if it is not there or another. */
function openSame(path: string, bytes: Uint8Array): Unpacked | null {
  let fd: number;
  try {
    fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'EACCES'].includes(systemCode(error))) return null;
    throw error;
  }
  const file = opened(fd, path);
  const { uid, mode, size } = fs.fstatSync(fd);
  const isOwn = uid === process.geteuid?.() && (mode & 0o022) === 0;
  if (isOwn && size === bytes.byteLength && Buffer.compare(fs.readFileSync(fd), bytes) === 0) {
    return file;
  }
  file[Symbol.dispose]();
  return null;
}

/** What other versions and processes that were killed left behind. */
function removeOld(directory: string, current: string): void {
  const before = Date.now() - keptMs;
  for (const name of fs.readdirSync(directory)) {
    const path = join(directory, name);
    if (name === current || !/\.(node|new)$/.test(name)) continue;
    const entry = fs.lstatSync(path, { throwIfNoEntry: false });
    if (entry !== undefined && entry.mtimeMs < before)
      fs.rmSync(path, { recursive: true, force: true });
  }
}
