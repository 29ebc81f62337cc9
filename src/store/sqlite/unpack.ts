/**
 * Unpacks a library of the executable into a file, because the system loads libraries only from files. Other users of
 * the machine must not be able to replace it:
 *
 * - The directory is opened once. It must belong to this user, be writable only by this user, and not be a link.
 * - The file is opened once. It is used only if it belongs to this user and has the same bytes; else it is replaced.
 * - The open file is loaded, whatever has its name by then.
 *
 * The file's name is its SHA-256, so that two versions can run side by side.
 */

import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { JobdError, systemCode } from '../../domain/errors.ts';
import { replaceFile } from '../../base/whole-file.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/** After this time files of other versions are removed. A version that still runs has its file loaded, or writes it again. */
const keptMs = 30 * 24 * 60 * 60 * 1_000;

/** An open file that holds exactly `bytes`, for loading; the caller closes it. */
export interface Unpacked extends Disposable {
  /** The system finds this very file under this path, even if another one replaces it. */
  path: string;
}

/** Unpacks into a directory, and makes it if necessary. Throws with a sentence if it must not be used. */
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
  throw new JobdError('unavailable', `${directory} does not keep files that are written there`);
}

/** An open file or directory, with a path that means this very one. */
function opened(fd: number, path: string): Unpacked {
  const own = `/proc/self/fd/${fd}`;
  return {
    path: fs.existsSync(own) ? own : path, // without /proc
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

/** Only in a directory of this user: in another user's, the new directory would lock its owner out. */
function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  if (!fs.existsSync(parent)) makeDirectory(parent);
  if (fs.statSync(parent).uid !== process.geteuid?.())
    throw new Error('the directory above it belongs to another user');
  fs.mkdirSync(directory, { mode: 0o700 });
}

/** Opens the file if it belongs to this user and has these bytes; else null. */
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

/** Removes old files of other versions and of killed processes. */
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
