/**
 * Copies of the database file: one made while a daemon writes, and one put in its place while none does.
 * A copy is made under another name and is complete on the disk before it has its own.
 */

import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { JobdError } from '../domain/errors.ts';
import { checkDatabase } from './inspect.ts';
import { openReader, storePath } from './open.ts';
import type { Db } from './open.ts';

/**
 * Writes what the database holds at this moment to a file that only its owner can read. Nobody waits for it, and
 * what was deleted is not in it. Throws `conflict` if there is a file of this name, `unavailable` if it cannot be
 * written or is not sound.
 */
export async function copyDatabase(db: Db, path: string): Promise<void> {
  if (existsSync(path)) throw isThere(path);
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    await writeCopy(db, draft);
    publish(draft, path);
  } catch (error) {
    if (error instanceof JobdError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new JobdError('unavailable', `${path} cannot be written: ${why}`, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Puts a copy of `db` in the place of the database of a data directory, which nobody uses now. Returns the name
 * under which the database of before is kept, null if there was none. Throws as `copyDatabase` does.
 */
export async function replaceDatabase(
  db: Db,
  dataDir: string,
  keepAs: string,
): Promise<string | null> {
  const path = storePath(dataDir);
  const draft = `${path}.restored`;
  rmSync(draft, { force: true });
  await copyDatabase(db, draft);
  if (!existsSync(path)) {
    publish(draft, path);
    rmSync(draft);
    return null;
  }
  const kept = join(dataDir, keepAs);
  // All of the one of before has its second name before anything loses its first.
  for (const part of ['', '-wal']) if (existsSync(path + part)) linkSync(path + part, kept + part);
  syncFile(dataDir);
  // A log that is not of this database would be taken for its own.
  for (const part of ['-wal', '-shm']) rmSync(path + part, { force: true });
  renameSync(draft, path);
  syncFile(dataDir);
  return kept;
}

async function writeCopy(db: Db, path: string): Promise<void> {
  rmSync(path, { force: true });
  // SQLite writes into an empty file that is there, and leaves its mode as it is.
  closeSync(openSync(path, 'wx', 0o600));
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

/** Unlike a rename this replaces no file that came meanwhile. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw isThere(path);
    throw error;
  }
  syncFile(dirname(path));
}

function isThere(path: string): JobdError {
  return new JobdError('conflict', `${path} is there already: name another file, or remove it`);
}

/** A file, or the names in a directory. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
