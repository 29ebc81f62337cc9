/**
 * The key of a login that failed. A key is shown only once, so one that came through a pipe would be lost: it is kept beside
 * the profiles until a login succeeds. It is no profile: no other command sends it anywhere.
 */

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { keyPattern } from '../../domain/accounts/key.ts';
import { JobdError, messageOf, systemCode } from '../../domain/errors.ts';
import { replaceFile } from '../../base/whole-file.ts';

/** The file, for the file of the profiles. */
function fileOf(profilesFile: string): string {
  return join(dirname(profilesFile), 'unchecked-key');
}

/** Keeps a key, readable by its owner only. Returns what to do with it; never throws. */
export function keepKey(profilesFile: string, apiKey: string): string {
  const file = fileOf(profilesFile);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, `${file}.${crypto.randomUUID()}`, `${apiKey}\n`);
    return `the key is kept in ${file}; to try it again: jobd login --kept --url URL`;
  } catch (error) {
    return `the key could not be kept (${messageOf(error)}): if nobody has it, revoke it with jobd key revoke ID`;
  }
}

/** The kept key. Throws `usage` if there is none. */
export function keptKey(profilesFile: string): string {
  try {
    const key = readFileSync(fileOf(profilesFile), 'utf8').trim();
    if (keyPattern.test(key)) return key;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error))) throw error;
  }
  throw new JobdError('usage', 'no key is kept: give one on standard input, without --kept');
}

/** Forgets the kept key, if there is one. */
export function forgetKey(profilesFile: string): void {
  rmSync(fileOf(profilesFile), { force: true });
}
