/**
 * Loads the native library of better-sqlite3. From source, the package finds its own prebuilt file. The bundle has that
 * file beside it. The executable carries it as an asset and unpacks it (`unpack.ts`) beside the database or, if that
 * fails, into the user's cache.
 *
 * A process must load SQLite only once: two copies can damage a database. POSIX drops all locks of a process on a file
 * when any part of the process closes it, and each copy knows only its own open files. So the main thread unpacks the
 * asset, and worker threads load the library by the same path.
 */
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { JobdError, messageOf, systemCode } from '../../domain/errors.ts';
import { unpack } from './unpack.ts';

/** Name of the asset and of the file beside the bundle; the build sets it. */
declare const JOBD_ADDON: string;

/** The key under which worker threads find the path that the main thread loaded. */
const LOADED_FROM = 'jobd.addon';

let addon: object | undefined;
let cacheDir: string | null = null;

/** Sets the directory for the library, in case the data directory cannot be used; null for none. */
export function unpackAddonInto(directory: string | null): void {
  cacheDir = directory;
}

/** Loads the file beside the bundle now: root acts as the owner of the data soon, who may not be able to read it. */
export function loadAddonOfBundle(): void {
  if (typeof JOBD_ADDON !== 'undefined' && !isSea()) loadAddon('');
}

/**
 * The value for better-sqlite3's option `nativeBinding`; undefined from source, for its default. In the executable the
 * main thread must call this before a worker thread does. Throws `unavailable` if the library cannot be loaded.
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
  if (isMainThread) return unpackAndLoad(name, dataDir);
  const path = getEnvironmentData(LOADED_FROM);
  if (typeof path !== 'string') {
    throw new JobdError('internal', 'the main thread must load the database driver before workers');
  }
  // The file is closed, but the loader compares the name with its loaded libraries first.
  return loadFile(path);
}

/** Tries each directory in turn: it may be read-only, belong to another user, or be mounted `noexec`. */
function unpackAndLoad(name: string, dataDir: string): object {
  const bytes = new Uint8Array(getRawAsset(name));
  const failures: string[] = [];
  for (const place of [join(dataDir, 'native'), cacheDir]) {
    if (place === null) continue;
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

const systemReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'it is on a read-only file system',
  EACCES: 'this user cannot write there',
  EPERM: 'this user cannot write there',
  ENOENT: 'neither it nor its parent directory exists',
  ELOOP: 'it is a symbolic link',
  ENOTDIR: 'it is not a directory, or a symbolic link',
};

/** Why a library could not be unpacked or loaded, with a remedy: a part of a sentence. */
export function whyNotLoaded(error: unknown): string {
  const message = messageOf(error);
  const needed = /version [`']GLIBC_([\d.]+)' not found/.exec(message)?.[1];
  if (needed !== undefined) {
    return `it needs glibc ${needed} or newer, this system has ${glibcVersion()}`;
  }
  if (/failed to map segment|cannot enable executable/.test(message)) {
    return 'it is mounted noexec; mount it with exec, or name another directory by --data or XDG_CACHE_HOME';
  }
  return systemReasons[systemCode(error)] ?? message;
}

function glibcVersion(): string {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime ?? 'an older one, or none';
}
