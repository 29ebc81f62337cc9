/**
 * Copies the database into a backup, and a backup into the data directory. Each copy is written under a temporary name
 * and synced before it gets its own name.
 */

import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sql } from 'kysely';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import {
  alreadyExists,
  makeFile,
  publishFile,
  syncFile,
  writeNewFile,
  writeNewFileOf,
} from '../../whole-file.ts';
import { checkDatabase } from './inspect.ts';
import { openReader, storePath } from './open.ts';
import type { Db } from '../database/store.ts';
import { openFile } from './file.ts';

/** Where a backup is written. */
export interface Target {
  path: string;
  /** The open, empty file at `path`, if this process cannot create it; else null. */
  descriptor: number | null;
}

/** What happens to a copy before it gets its name. */
export interface Finishing {
  /** May append to the copy. */
  finish: (draft: string) => Promise<void>;
  /** What is written instead of the copy's own bytes; null for these. */
  encrypt: ((chunks: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>) | null;
}

/**
 * Writes a snapshot of the database, without deleted data, to a file that only its owner can read. Writers do not wait
 * for it. What is to be encrypted is never written elsewhere than into the data directory before. Returns the length of the
 * file. Throws `conflict` if the file already exists, `unavailable` if it cannot be written or is damaged.
 */
export async function copyDatabase(
  db: Db,
  dataDir: string,
  { path, descriptor }: Target,
  { finish, encrypt }: Finishing = { finish: async () => {}, encrypt: null },
): Promise<number> {
  if (descriptor === null && fs.existsSync(path)) throw alreadyExists(path);
  const name = `.${basename(path)}.${process.pid}`;
  const beside = join(dirname(path), name);
  const draft = descriptor === null && encrypt === null ? beside : join(dataDir, `${name}.copy`);
  const content = () => (encrypt === null ? bytesAt(draft) : encrypt(bytesAt(draft)));
  try {
    await writeCopy(db, draft);
    await finish(draft);
    if (descriptor !== null) {
      for await (const bytes of content()) fs.writeFileSync(descriptor, bytes);
      fs.fsyncSync(descriptor);
      return fs.fstatSync(descriptor).size;
    }
    if (encrypt === null) syncFile(draft);
    else await writeNewFileOf(beside, encrypt(bytesAt(draft)));
    publishFile(beside, path);
    return fs.statSync(path).size;
  } catch (error) {
    if (descriptor === null && systemCode(error) === 'EEXIST') throw alreadyExists(path);
    if (descriptor !== null) fs.ftruncateSync(descriptor);
    throw unavailable(`${path} cannot be written`, error);
  } finally {
    removeDraft(draft);
    if (draft !== beside && descriptor === null) removeDraft(beside);
  }
}

/** Removes what a backup that was killed left of the files with these names, in a directory. Throws nothing. */
export function removeDrafts(directory: string, isOwn: (name: string) => boolean): void {
  try {
    for (const entry of fs.readdirSync(directory)) {
      const [, name = ''] = /^\.(.+)\.\d+(?:\.copy)?(?:-journal)?$/.exec(entry) ?? [];
      if (isOwn(name)) fs.rmSync(join(directory, entry), { force: true });
    }
  } catch {
    // The backup itself says what is wrong with the directory.
  }
}

/** Removes a draft. There is none where this user may not look: the error of writing it says more. */
function removeDraft(draft: string): void {
  try {
    fs.rmSync(draft, { force: true });
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
  }
}

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

/** Reads a file from its beginning. */
export function* bytesAt(path: string): Generator<Uint8Array> {
  const descriptor = fs.openSync(path, 'r');
  try {
    yield* bytesOf(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Writes what comes into a file of the data directory that has no name any more, and returns it open. It is gone when it is
 * closed, however this process ends. Throws what `chunks` throws, and `unavailable`.
 */
export async function receiveNameless(
  dataDir: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const path = `${storePath(dataDir)}.decrypted`;
  try {
    fs.rmSync(path, { force: true });
    await writeNewFileOf(path, chunks);
    return fs.openSync(path, 'r');
  } catch (error) {
    throw error instanceof JobdError ? error : unavailable(`${path} cannot be written`, error);
  } finally {
    fs.rmSync(path, { force: true });
  }
}

/** A copy of a backup in the data directory, which only its owner can read. Disposing of it removes its files. */
export interface Received extends Disposable {
  path: string;
}

/** Copies a backup, and the log beside it if there is one, into the data directory. Throws `unavailable`. */
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

/** Moves the log of a copy into its file. SQLite reads the copy here for the first time. */
export function emptyLogOf({ path }: Received): void {
  const database = openFile(path, 0);
  try {
    database.pragma('journal_mode = delete');
  } finally {
    database.close();
  }
}

/** Ends all sessions in a copy: one that ended since the backup must not be valid again. Its daemon gets a new id. */
export function endSessionsIn({ path }: Received): void {
  const database = openFile(path, 0);
  try {
    for (const table of ['sessions', 'sign_in_codes', 'instance']) {
      database.exec(`delete from ${table}`);
    }
  } finally {
    database.close();
  }
}

/**
 * Replaces the database of a data directory, which nobody uses now, with a received copy. Returns the path where the
 * previous database is kept, made from `keepAs`; null if there was none. Throws `unavailable` if it cannot be written.
 */
export function replaceDatabase(
  { path: draft }: Received,
  dataDir: string,
  keepAs: string,
): string | null {
  const path = storePath(dataDir);
  try {
    syncFile(draft);
    if (!fs.existsSync(path)) {
      publishFile(draft, path);
      return null;
    }
    const kept = freeName(dataDir, keepAs);
    // Both files of the previous database get their new names before they lose the old ones.
    for (const part of ['', '-wal']) {
      if (fs.existsSync(path + part)) fs.linkSync(path + part, kept + part);
    }
    syncFile(dataDir);
    // SQLite would apply the old log to the restored database.
    for (const part of ['-wal', '-shm']) fs.rmSync(path + part, { force: true });
    fs.renameSync(draft, path);
    syncFile(dataDir);
    return kept;
  } catch (error) {
    throw unavailable(`${path} cannot be written`, error);
  }
}

/** A path that does not exist yet: the name, with a number if it is taken. */
function freeName(directory: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const path = join(directory, `${name}${number === 1 ? '' : `-${number}`}.db`);
    if (!fs.existsSync(path)) return path;
  }
}

async function writeCopy(db: Db, path: string): Promise<void> {
  fs.rmSync(path, { force: true });
  // SQLite accepts an empty file, and keeps its mode.
  makeFile(path);
  await sql`vacuum into ${path}`.execute(db);
  await using copy = await openReader(path);
  const [damage] = await checkDatabase(copy.db);
  if (damage === undefined) return;
  throw new JobdError(
    'unavailable',
    `the copy is damaged (${damage}): check the database with jobd doctor`,
  );
}
