/**
 * The file of the master key, beside the database: one key per line, the newest first. It has two keys only during a
 * rotation. It is complete on the disk before anything is sealed with its keys.
 */

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { JobdError, systemCode, unavailable } from '../domain/errors.ts';
import { fileProblem } from '../domain/file-problem.ts';
import { denied, isDenial } from '../base/denied.ts';
import { publishFile, replaceFile, writeNewFile } from '../base/whole-file.ts';
import { masterKeyText, parseMasterKey, type MasterKey } from './master-key.ts';

/** The path of the file in a data directory; it may not exist. */
export function keyFilePath(dataDir: string): string {
  return join(dataDir, 'secret-key');
}

/** Makes the file with one key. If another process was faster, its file stays. Throws `unavailable`. */
export function createKeyFile(path: string, key: MasterKey): void {
  write(path, (draft) => {
    writeNewFile(draft, [textOf([key])]);
    try {
      publishFile(draft, path);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  });
}

/** Replaces the file with one of these keys. Throws `unavailable`. */
export function replaceKeyFile(path: string, keys: readonly MasterKey[]): void {
  write(path, (draft) => replaceFile(path, draft, textOf(keys)));
  // Drafts of killed processes may hold a key that must not survive.
  for (const name of readdirSync(dirname(path))) {
    const isDraft = name.startsWith(`${basename(path)}.`) && /\.\d+$/.test(name);
    if (isDraft) rmSync(join(dirname(path), name), { force: true });
  }
}

function write(path: string, writeBy: (draft: string) => void): void {
  const draft = `${path}.${process.pid}`;
  try {
    rmSync(draft, { force: true });
    writeBy(draft);
  } catch (error) {
    throw unavailable(`the master key cannot be written to ${path}`, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function textOf(keys: readonly MasterKey[]): string {
  return `${keys.map(masterKeyText).join('\n')}\n`;
}

/** The keys in the file; none if it does not exist. Throws `JobdError` if it cannot be read or holds no valid key. */
export function readKeyFile(path: string): MasterKey[] {
  let text: string;
  try {
    requirePrivate(path);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof JobdError) throw error;
    if (systemCode(error) === 'ENOENT') return [];
    if (isDenial(error)) {
      throw denied(`master key: ${path} cannot be read`, dirname(path), error, path);
    }
    throw new JobdError('unavailable', `master key: ${fileProblem(path, error)}`, { cause: error });
  }
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.flatMap((line, index) =>
    line === '' ? [] : [parseMasterKey(line, `line ${index + 1} of ${path}`)],
  );
  if (keys.length > 0) return keys;
  throw new JobdError(
    'unavailable',
    `${path} is empty: put your copy of the master key there (a jobd backup does not contain it)`,
  );
}

/** The group may read the file, as on some mounted volumes; other users may not. */
function requirePrivate(path: string): void {
  const mode = statSync(path).mode & 0o777;
  if (process.platform === 'win32' || (mode & 0o007) === 0) return;
  throw new JobdError(
    'unavailable',
    `${path} may be read by everybody (mode ${mode.toString(8).padStart(4, '0')}): chmod 600 it`,
  );
}
