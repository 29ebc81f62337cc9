/**
 * Copies of the database file: one made while a daemon writes, and one put in its place while none does.
 * A copy is made under another name and is complete on the disk before it has its own.
 */

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { makeFile, publishFile, syncFile, writeNewFile } from '../../whole-file.ts';
import { checkDatabase } from './inspect.ts';
import { openReader, storePath } from './open.ts';
import type { Db } from './open.ts';
import { openFile } from './sqlite-file.ts';

/** Where a copy goes. */
export interface Target {
  path: string;
  /** The open, empty file of that name, where this process may not write names; null where it makes the file itself. */
  descriptor: number | null;
}

/**
 * Writes what the database holds at this moment to a file that only its owner can read. Nobody waits for it, and
 * what was deleted is not in it. `finish` may add to the file before it is synced. Throws `conflict` if there is a file of this
 * name, `unavailable` if it cannot be written or is not sound.
 */
export async function copyDatabase(
  db: Db,
  dataDir: string,
  { path, descriptor }: Target,
  finish: (draft: string) => Promise<void>,
): Promise<void> {
  if (descriptor === null && fs.existsSync(path)) throw isThere(path);
  const draftIn = descriptor === null ? dirname(path) : dataDir;
  const draft = join(draftIn, `.${basename(path)}.${process.pid}`);
  try {
    await writeCopy(db, draft);
    await finish(draft);
    syncFile(draft);
    if (descriptor === null) publishFile(draft, path);
    else pour(draft, descriptor);
  } catch (error) {
    if (descriptor === null && systemCode(error) === 'EEXIST') throw isThere(path);
    if (descriptor !== null) fs.ftruncateSync(descriptor);
    const what = `${path} cannot be written${descriptor === null ? '' : ', and is left empty'}`;
    throw unavailable(what, error);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** Bytes that are copied at once. */
const chunkBytes = 1024 * 1024;

/** Reads an open file from its beginning, up to `length` bytes. */
export function* bytesOf(descriptor: number, length = Infinity): Generator<Uint8Array> {
  const buffer = Buffer.alloc(chunkBytes);
  for (let position = 0; position < length;) {
    const wanted = Math.min(chunkBytes, length - position);
    const read = fs.readSync(descriptor, buffer, 0, wanted, position);
    if (read === 0) return;
    yield buffer.subarray(0, read);
    position += read;
  }
}

function pour(draft: string, descriptor: number): void {
  const from = fs.openSync(draft, 'r');
  try {
    for (const bytes of bytesOf(from)) fs.writeFileSync(descriptor, bytes);
  } finally {
    fs.closeSync(from);
  }
  fs.fsyncSync(descriptor);
}

/** A copy of a backup in the data directory, which only its owner can read; disposing of it removes what is left. */
export interface Received extends Disposable {
  path: string;
}

/** Copies a backup, and the log beside it if there is one, into the data directory. */
export function receiveCopy(
  dataDir: string,
  database: Iterable<Uint8Array>,
  log: Iterable<Uint8Array> | null,
): Received {
  const path = `${storePath(dataDir)}.restored`;
  const remove = (): void => {
    for (const part of ['', '-wal', '-shm']) fs.rmSync(path + part, { force: true });
  };
  remove();
  try {
    writeNewFile(path, database);
    if (log !== null) writeNewFile(`${path}-wal`, log);
  } catch (error) {
    remove();
    throw error instanceof JobdError ? error : unavailable(`${path} cannot be written`, error);
  }
  return { path, [Symbol.dispose]: remove };
}

/** Puts what is in the log of a copy into its file. This is the first time that SQLite reads the copy. */
export function emptyLogOf({ path }: Received): void {
  const database = openFile(path, 0);
  try {
    database.pragma('journal_mode = delete');
  } finally {
    database.close();
  }
}

/**
 * Puts a received copy in the place of the database of a data directory, which nobody uses now. Returns the path
 * under which the previous database is kept, `keepAs` with what makes it unique; null if there was none. Throws
 * `unavailable` if it cannot be written.
 */
export function replaceDatabase(
  { path: draft }: Received,
  dataDir: string,
  keepAs: string,
): string | null {
  const path = storePath(dataDir);
  try {
    syncFile(draft);
    return takePlace(draft, path, freeName(dataDir, keepAs));
  } catch (error) {
    throw unavailable(`${path} cannot be written`, error);
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
    publishFile(draft, path);
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

async function writeCopy(db: Db, path: string): Promise<void> {
  fs.rmSync(path, { force: true });
  // SQLite writes into an empty file that is there, and leaves its mode as it is.
  makeFile(path);
  await sql`vacuum into ${path}`.execute(db);
  await using copy = await openReader(path);
  const [damage] = await checkDatabase(copy.db);
  if (damage === undefined) return;
  throw new JobdError(
    'unavailable',
    `the copy is not sound, ${damage}: jobd doctor looks at the database itself`,
  );
}

function isThere(path: string): JobdError {
  return new JobdError('conflict', `${path} is there already: name another file, or remove it`);
}
