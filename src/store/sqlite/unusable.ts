/** The error for a file of the store that cannot be used: it names the file, the true cause, and a remedy. */

import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { denied, isDenial } from '../../base/denied.ts';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { damageIn, restoreAdvice, wordsOf } from './connection.ts';

/** `done` is what was tried: `opened` or `read`. `name` is what messages call the file. */
export function unusable(path: string, done: string, error: unknown, name = path): JobdError {
  const what = `${name} cannot be ${done}`;
  const damage = damageIn(error);
  const denial = isDenial(error) ? error : denialOf(path);
  if (damage === null && denial !== undefined) return denied(what, dirname(path), denial, path);
  const cause = { cause: error };
  if (damage === null) return new JobdError('unavailable', `${what}: ${wordsOf(error)}`, cause);
  const words = systemCode(damage).startsWith('SQLITE_NOTADB')
    ? 'it is not a database, so it was overwritten or is another file'
    : `it is damaged (${damage.message})`;
  return new JobdError('unavailable', `${what}: ${words}; ${restoreAdvice}`, cause);
}

/** Throws `unavailable` if this user may not read and write a file that is there. */
export function requireWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw unusable(path, 'written', error);
  }
}

/** The error for a data directory that cannot be looked into. */
export function unusableDirectory(dataDir: string, error: unknown): JobdError {
  const what = `${dataDir} cannot be used`;
  return isDenial(error) ? denied(what, dataDir, error) : unavailable(what, error);
}

/** SQLite does not say why it cannot open a file. */
function denialOf(path: string): unknown {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (isDenial(error)) return error;
  }
  return undefined;
}
