/**
 * Where better-sqlite3 gets its native part from. Run from source it finds its own prebuilt file;
 * the bundle has that file beside it; the single executable carries it as an asset, which is unpacked
 * (`unpack.ts`): beside the database, or, where that cannot be, into the user's cache.
 *
 * A process must map SQLite once. POSIX drops all locks a process holds on a file as soon as any
 * part of it closes that file, and only one copy of SQLite knows what it has open itself: with
 * two copies a database can be damaged. So the main thread takes the asset out, and its worker
 * threads ask the system for the library by the name it was loaded under.
 */
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { JobdError, messageOf, systemCode } from '../../domain/errors.ts';
import { unpack } from './unpack.ts';

/** Name of the asset and of the file beside the bundle; written in by the build. */
declare const JOBD_ADDON: string;

/** Under this key worker threads find the path the main thread loaded the library from. */
const LOADED_FROM = 'jobd.addon';

let addon: object | undefined;
let cacheDir: string | undefined;

/** Says where the library may go if the data directory is no place for it. */
export function unpackAddonInto(directory: string): void {
  cacheDir = directory;
}

/**
 * The value for better-sqlite3's option `nativeBinding`; undefined when run from source, which
 * means its own default. In the single executable the main thread must call this before it starts
 * a worker thread that does. Throws `unavailable` when the library cannot be loaded.
 */
export function loadAddon(dataDir: string): object | undefined {
  if (typeof JOBD_ADDON === 'undefined') return undefined;
  addon ??= isSea() ? loadAsset(JOBD_ADDON, dataDir) : loadFile(join(__dirname, JOBD_ADDON));
  return addon;
}

function loadFile(path: string): object {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

function loadAsset(name: string, dataDir: string): object {
  if (isMainThread) return takeOut(name, dataDir);
  const path = getEnvironmentData(LOADED_FROM);
  if (typeof path !== 'string') {
    throw new JobdError('internal', 'the main thread must load the database driver before workers');
  }
  // The file is closed, but the loader compares names with what it has mapped before it looks.
  return loadFile(path);
}

/** Tries one directory after another: some are read-only, of others, or mounted `noexec`. */
function takeOut(name: string, dataDir: string): object {
  const bytes = new Uint8Array(getRawAsset(name));
  const failures: string[] = [];
  for (const place of [join(dataDir, 'native'), cacheDir]) {
    if (place === undefined) continue;
    try {
      return loadFrom(place, bytes);
    } catch (error) {
      failures.push(`${place}: ${whyNotLoaded(error)}`);
    }
  }
  throw new JobdError(
    'unavailable',
    `the database driver cannot be loaded: ${failures.join('; ')}`,
  );
}

function loadFrom(place: string, bytes: Uint8Array): object {
  using unpacked = unpack(place, bytes);
  const loaded = loadFile(unpacked.path);
  setEnvironmentData(LOADED_FROM, unpacked.path);
  return loaded;
}

const ofSystem: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'it is on a read-only file system',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOENT: 'it is not there, and neither is the directory above it',
  ELOOP: 'it is a symbolic link',
  ENOTDIR: 'it is no directory, or a symbolic link',
};

/** Why a library could not be put into a file or loaded from it, with a remedy: a part of a sentence. */
export function whyNotLoaded(error: unknown): string {
  const message = messageOf(error);
  const needed = /version [`']GLIBC_([\d.]+)' not found/.exec(message)?.[1];
  if (needed !== undefined) {
    return `it needs glibc ${needed} or newer, this system has ${glibcVersion()}`;
  }
  if (/failed to map segment|cannot enable executable/.test(message)) {
    return 'it is mounted noexec; mount it with exec, or name another directory by --data or XDG_CACHE_HOME';
  }
  return ofSystem[systemCode(error)] ?? message;
}

function glibcVersion(): string {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime ?? 'an older one, or none';
}
