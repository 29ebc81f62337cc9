/**
 * Copies of the database file: one made while a daemon writes, and one put in its place while none does.
 * A copy is made under another name and is complete on the disk before it has its own.
 */

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { JobdError, unavailable } from '../domain/errors.ts';
import { checkDatabase } from './inspect.ts';
import { openReader, storePath } from './open.ts';
import type { Db } from './open.ts';
import { makeOwnersFile, ownerOf } from './owners-file.ts';
import type { Owner } from './owners-file.ts';

/**
 * Writes what the database holds at this moment to a file that only its owner can read. Nobody waits for it, and
 * what was deleted is not in it. Root may give it to another `owner`. Throws `conflict` if there is a file of this name, `unavailable` if it cannot be
 * written or is not sound.
 */
export async function copyDatabase(db: Db, path: string, owner?: Owner): Promise<void> {
  if (fs.existsSync(path)) throw isThere(path);
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    await writeCopy(db, draft, owner);
    publish(draft, path);
  } catch (error) {
    if (error instanceof JobdError && error.code === 'conflict') throw error;
    throw unavailable(`${path} cannot be written`, error);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/**
 * Puts a copy of `db` in the place of the database of a data directory, which nobody uses now. Returns the path
 * under which the database of before is kept, `keepAs` with what makes it unique; null if there was none. Throws as `copyDatabase` does.
 */
export async function replaceDatabase(
  db: Db,
  dataDir: string,
  keepAs: string,
): Promise<string | null> {
  const path = storePath(dataDir);
  const draft = `${path}.restored`;
  fs.rmSync(draft, { force: true });
  await copyDatabase(db, draft, ownerOf(dataDir));
  try {
    return takePlace(draft, path, freeName(dataDir, keepAs));
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** The name itself, or with a number behind it. */
function freeName(directory: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const path = join(directory, `${name}${number === 1 ? '' : `-${number}`}.db`);
    if (!fs.existsSync(path)) return path;
  }
}

/** Returns `kept`, or null if there was nothing to keep. */
function takePlace(draft: string, path: string, kept: string): string | null {
  if (!fs.existsSync(path)) {
    publish(draft, path);
    return null;
  }
  // All of the one of before has its second name before anything loses its first.
  for (const part of ['', '-wal'])
    if (fs.existsSync(path + part)) fs.linkSync(path + part, kept + part);
  syncFile(dirname(path));
  // A log that is not of this database would be taken for its own.
  for (const part of ['-wal', '-shm']) fs.rmSync(path + part, { force: true });
  fs.renameSync(draft, path);
  syncFile(dirname(path));
  return kept;
}

async function writeCopy(db: Db, path: string, owner?: Owner): Promise<void> {
  fs.rmSync(path, { force: true });
  // SQLite writes into an empty file that is there, and leaves its mode and owner as they are.
  makeOwnersFile(path, owner);
  await sql`vacuum into ${path}`.execute(db);
  syncFile(path);
  await using copy = await openReader(path);
  const [damage] = await checkDatabase(copy.db);
  if (damage === undefined) return;
  throw new JobdError(
    'unavailable',
    `the copy is not sound, ${damage}: jobd doctor looks at the database itself`,
  );
}

/** How file systems say that they have no links, as FAT and CIFS. */
const noLinks = new Set<unknown>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Unlike a rename this replaces no file that came meanwhile. Where there are no links, the name is taken empty before. */
function publish(draft: string, path: string): void {
  try {
    linkOrRename(draft, path);
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? isThere(path) : error;
  }
  syncFile(dirname(path));
}

function linkOrRename(draft: string, path: string): void {
  try {
    fs.linkSync(draft, path);
  } catch (error) {
    if (!noLinks.has(codeOf(error))) throw error;
    makeOwnersFile(path);
    fs.renameSync(draft, path);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function isThere(path: string): JobdError {
  return new JobdError('conflict', `${path} is there already: name another file, or remove it`);
}

/** A file, or the names in a directory. */
function syncFile(path: string): void {
  const descriptor = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
