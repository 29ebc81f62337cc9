/**
 * Allows one `jobd serve` per data directory. Two would call the same jobs, and each would treat the other's runs as those
 * of a dead process. The lock is an SQLite lock on a separate file; the system releases it however the process ends. If
 * somebody removes that file, its holder locks another one, and until then `/proc` says who it is.
 */

import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ifPossible, JobdError } from '../../domain/errors.ts';
import { isBusy } from './connection.ts';
import { openFile } from './file.ts';
import { identityOf, whoHasRemoved } from './in-place.ts';

/** The lock of a data directory; disposing of it releases it. */
export interface DataDirLock extends Disposable {
  /** Takes it again if its file was removed, and returns whether it had to. Throws `conflict` if another jobd has it now. */
  keep(): boolean;
}

/** Takes the lock. Throws `conflict` with the pid of its holder. */
export function lockDataDir(dataDir: string): DataDirLock {
  const path = join(dataDir, 'serve.lock');
  const pidFile = join(dataDir, 'serve.pid');
  const refusal = (pid = pidFrom(pidFile)): string => {
    const who = pid === '' ? '' : ` (process ${pid})`;
    return `another jobd${who} already serves ${dataDir}, stop it first`;
  };
  const holder = existsSync(dataDir) ? whoHeld(dataDir) : undefined;
  if (holder !== undefined) throw new JobdError('conflict', refusal(holder));
  let lock = lockFile(path, refusal);
  let identity = identityOf(path);
  notePid(pidFile);
  return {
    keep() {
      const there = identityOf(path);
      if (there === undefined || there === identity) return false;
      const again = lockFile(path, refusal);
      lock[Symbol.dispose]();
      lock = again;
      identity = identityOf(path);
      notePid(pidFile);
      return true;
    },
    [Symbol.dispose]: () => lock[Symbol.dispose](),
  };
}

/** The process that holds the lock, although its file was removed; undefined if none is seen. */
function whoHeld(dataDir: string): string | undefined {
  return whoHasRemoved(join(realpathSync(dataDir), 'serve.lock'));
}

/** The pid is only for messages. */
function notePid(pidFile: string): void {
  note(pidFile, `${process.pid}`);
}

/** Keeps where the process that serves listens, for who upgrades it. */
export function noteUrl(dataDir: string, url: string): void {
  note(join(dataDir, 'serve.url'), url);
}

/** On a full disk jobd starts without it. */
function note(path: string, text: string): void {
  try {
    // An existing file may be root's, or a link.
    rmSync(path, { force: true });
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch {}
}

/** The pid of the `jobd serve` that holds the lock, `?` if it is unknown; undefined if none does. */
export function whoLocks(dataDir: string): string | undefined {
  const path = join(dataDir, 'serve.lock');
  if (!existsSync(path) || !isLocked(path, 'select 1 from sqlite_master', 0)) return undefined;
  return pidFrom(join(dataDir, 'serve.pid')) || '?';
}

/** Whether another process has the lock that these statements need, for longer than this. */
export function isLocked(path: string, statements: string, timeoutMs: number): boolean {
  const database = openFile(path, timeoutMs);
  try {
    database.exec(statements);
    return false;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return true;
  } finally {
    database.close();
  }
}

/** Lets one process at a time change the master key, also while a daemon runs. Throws `conflict`. */
export function lockMasterKey(dataDir: string): Disposable {
  const refusal = () => `another process is changing the master key of ${dataDir}`;
  return lockFile(join(dataDir, 'secrets.lock'), refusal);
}

/** Lets one process at a time make a backup that jobd names itself. Throws `conflict`. */
export function lockBackups(dataDir: string): Disposable {
  const refusal = () => `another backup of ${dataDir} is under way: wait for it`;
  return lockFile(join(dataDir, 'backup.lock'), refusal);
}

function lockFile(path: string, refusal: () => string): Disposable {
  const database = openFile(path, 0);
  try {
    // Nothing is ever written: a file of the journal could not be made on a full disk.
    database.pragma('journal_mode = memory');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new JobdError('conflict', refusal(), { cause: error });
  }
  return { [Symbol.dispose]: () => database.close() };
}

function pidFrom(path: string): string {
  return ifPossible(() => readFileSync(path, 'utf8').trim()) ?? '';
}
