/**
 * One `jobd serve` per data directory: two would call the same jobs, and each would take the other's
 * runs for those of a dead process. The lock is one of SQLite's on a file of its own, which the system
 * gives back however the process ends.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JobdError } from '../domain/errors.ts';
import { isBusy, openFile } from './sqlite.ts';

/** Takes the lock; disposing of it gives it back. Throws `conflict`, naming who holds it. */
export function lockDataDir(dataDir: string): Disposable {
  const pidFile = join(dataDir, 'serve.pid');
  const refusal = () => `another jobd${pidIn(pidFile)} already serves ${dataDir}, stop it first`;
  const lock = lockFile(join(dataDir, 'serve.lock'), refusal);
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // It is for a sentence only; on a full disk jobd serves all the same.
  }
  return lock;
}

/** Lets one process at a time change the master key, beside whoever serves. Throws `conflict`. */
export function lockMasterKey(dataDir: string): Disposable {
  const refusal = () => `another process changes the master key of ${dataDir} right now`;
  return lockFile(join(dataDir, 'secrets.lock'), refusal);
}

function lockFile(path: string, refusal: () => string): Disposable {
  const database = openFile(path, 0);
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new JobdError('conflict', refusal(), { cause: error });
  }
  return { [Symbol.dispose]: () => database.close() };
}

function pidIn(path: string): string {
  try {
    const pid = readFileSync(path, 'utf8').trim();
    return pid === '' ? '' : ` (pid ${pid})`;
  } catch {
    return '';
  }
}
