/**
 * Files that are written whole or not at all, whenever the process or the machine stops: a draft beside the file is written and
 * synced, and only then gets the file's name. Only their owner can read them.
 */

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { JobdError, systemCode } from '../domain/errors.ts';
import { systemProblem } from '../domain/file-problem.ts';

/** The error of a command that was to make a file where there is one. */
export function alreadyExists(path: string): JobdError {
  return new JobdError(
    'conflict',
    `${path} already exists: choose another file name, or remove it`,
  );
}

/** The error of a command that could not make the file or directory that the user named. */
export function cannotMake(name: string, cause: unknown): JobdError {
  const { code, path = name } = cause as NodeJS.ErrnoException;
  if (code === 'EEXIST') return alreadyExists(name);
  const above = dirname(path);
  const missing = `there is no directory ${above}: mkdir -p -m 700 ${above}`;
  const words = systemProblem(cause as NodeJS.ErrnoException, `${name} cannot be written`);
  return new JobdError('unavailable', code === 'ENOENT' ? missing : words, { cause });
}

/** Makes an empty file. Throws EEXIST if there is a file, or a link, of this name. */
export function makeFile(path: string): void {
  fs.closeSync(fs.openSync(path, 'wx', 0o600));
}

/** Writes a new file and syncs it. Throws EEXIST if there is a file, or a link, of this name. */
export function writeNewFile(
  path: string,
  chunks: Iterable<string | Uint8Array>,
  mode = 0o600,
): void {
  const descriptor = fs.openSync(path, 'wx', mode);
  try {
    for (const bytes of chunks) fs.writeFileSync(descriptor, bytes);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The same with what comes bit by bit. */
export async function writeNewFileOf(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const descriptor = fs.openSync(path, 'wx', 0o600);
  try {
    for await (const bytes of chunks) fs.writeFileSync(descriptor, bytes);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Replaces a file, or makes it. `draft` is a free name in the same directory; it is gone afterwards. */
export function replaceFile(
  path: string,
  draft: string,
  content: string | Uint8Array,
  mode = 0o600,
): void {
  try {
    writeNewFile(draft, [content], mode);
    fs.renameSync(draft, path);
  } finally {
    fs.rmSync(draft, { force: true });
  }
  syncFile(dirname(path));
}

/** How file systems without links, such as FAT and CIFS, say so. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Gives a synced draft its name; it may keep the old one, too. Unlike a rename this throws EEXIST if the name is taken. */
export function publishFile(draft: string, path: string): void {
  try {
    fs.linkSync(draft, path);
  } catch (error) {
    if (!noLinks.has(systemCode(error))) throw error;
    makeFile(path);
    fs.renameSync(draft, path);
  }
  syncFile(dirname(path));
}

/** Syncs a file, or the names in a directory: a new name is only certain to survive a crash after that. Windows syncs no directory. */
export function syncFile(path: string): void {
  if (process.platform === 'win32' && fs.statSync(path).isDirectory()) return;
  const descriptor = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
