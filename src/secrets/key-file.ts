/**
 * The file of the master key, beside the database: a key on each line, the newest first. There is one, but
 * for the time of a rotation. It is complete on the disk before anything is sealed with what it holds.
 */

import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { JobdError, unavailable } from '../domain/errors.ts';
import { masterKeyText, parseMasterKey } from './master-key.ts';
import type { MasterKey } from './master-key.ts';

/** The path of the file in a data directory; it need not be there. */
export function keyFilePath(dataDir: string): string {
  return join(dataDir, 'secret-key');
}

/** Makes the file with one key; if another process was faster, its file stays. Throws `unavailable`. */
export function createKeyFile(path: string, key: MasterKey): void {
  write(path, [key], (draft) => linkUnlessThere(draft, path));
}

/** Replaces what is in the file, at once and for good. Throws `unavailable`. */
export function replaceKeyFile(path: string, keys: readonly MasterKey[]): void {
  write(path, keys, (draft) => renameSync(draft, path));
  removeDrafts(path);
}

/** A process that was killed may have left one, with a key in it that is to be forgotten. */
function removeDrafts(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const isDraft = name.startsWith(`${basename(path)}.`) && /\.\d+$/.test(name);
    if (isDraft) rmSync(join(dirname(path), name), { force: true });
  }
}

function write(path: string, keys: readonly MasterKey[], publish: (draft: string) => void): void {
  const draft = `${path}.${process.pid}`;
  try {
    rmSync(draft, { force: true });
    writeSynced(draft, `${keys.map(masterKeyText).join('\n')}\n`);
    publish(draft);
    rmSync(draft, { force: true });
    syncDirectory(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw unavailable(`the master key cannot be written to ${path}`, error);
  }
}

/** The keys in the file; none if it is not there. Throws `JobdError` if it cannot be read, or holds no key. */
export function readKeyFile(path: string): MasterKey[] {
  let text: string;
  try {
    refuseOpenToAll(path);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof JobdError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw unavailable(`the master key cannot be read from ${path}`, error);
  }
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.flatMap((line, index) =>
    line === '' ? [] : [parseMasterKey(line, `line ${index + 1} of ${path}`)],
  );
  if (keys.length > 0) return keys;
  throw new JobdError('unavailable', `${path} is empty: restore the master key from a backup`);
}

/** A group may read it, as some ways to mount a volume have it; everybody may not. */
function refuseOpenToAll(path: string): void {
  const mode = statSync(path).mode & 0o777;
  if (process.platform === 'win32' || (mode & 0o007) === 0) return;
  throw new JobdError(
    'unavailable',
    `${path} may be read by everybody (mode ${mode.toString(8).padStart(4, '0')}): chmod 600 it`,
  );
}

/** Unlike a rename this does not replace a file, and unlike a copy it is there as a whole. */
function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function writeSynced(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A new name is only sure to be there when its directory was synced too. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
