/**
 * Where better-sqlite3 gets its native part from. Run from source it finds its own prebuilt file;
 * the bundle has that file beside it; the single executable carries it as an asset, and as the
 * system loads a library only from a file, the asset becomes one for a moment.
 *
 * A process must map SQLite once. POSIX drops all locks a process holds on a file as soon as any
 * part of it closes that file, and only one copy of SQLite knows what it has open itself: with
 * two copies a database can be damaged. So the main thread takes the asset out, and its worker
 * threads ask the system for the library by the name it was loaded under.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { JobdError } from '../domain/errors.ts';

/** Name of the asset and of the file beside the bundle; written in by the build. */
declare const JOBD_ADDON: string;

/** Under this key worker threads find the path the main thread loaded the library from. */
const LOADED_FROM = 'jobd.addon';

let addon: object | undefined;

/**
 * The value for better-sqlite3's option `nativeBinding`; undefined when run from source, which
 * means its own default. In the single executable the main thread must call this before it starts
 * a worker thread that does. Throws `internal` when the library cannot be loaded.
 */
export function loadAddon(): object | undefined {
  if (typeof JOBD_ADDON === 'undefined') return undefined;
  addon ??= isSea() ? loadAsset(JOBD_ADDON) : loadFile(join(__dirname, JOBD_ADDON));
  return addon;
}

function loadFile(path: string): object {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

function loadAsset(name: string): object {
  if (isMainThread) return takeOut(name);
  const path = getEnvironmentData(LOADED_FROM);
  if (typeof path !== 'string') {
    throw new JobdError('internal', 'the main thread must load the database driver before workers');
  }
  // The file is gone, but the loader compares names with what it has mapped before it looks.
  return loadFile(path);
}

/** Tries one directory after another: some are read-only or mounted `noexec`. */
function takeOut(name: string): object {
  const failures: Error[] = [];
  for (const place of new Set([tmpdir(), '/var/tmp', '/dev/shm', homedir()])) {
    try {
      return loadFrom(place, name);
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)));
    }
  }
  const reasons = failures.map((failure) => failure.message).join('; ');
  throw new JobdError(
    'internal',
    `the database driver could not be loaded, it needs glibc 2.34 and a directory, such as TMPDIR, that is writable and not mounted noexec: ${reasons}`,
    { cause: failures[0] },
  );
}

function loadFrom(place: string, name: string): object {
  // Of mode 0700, and of a name nobody can know before: no other user can put a library there.
  const directory = mkdtempSync(join(place, 'jobd-'));
  try {
    const path = join(directory, name);
    writeFileSync(path, new Uint8Array(getRawAsset(name)), { flag: 'wx', mode: 0o600 });
    const loaded = loadFile(path);
    setEnvironmentData(LOADED_FROM, path);
    return loaded;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
