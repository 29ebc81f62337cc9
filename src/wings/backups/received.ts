/** Puts a backup into the data directory. It is written under a temporary name and synced before it gets its own name. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { JobdError, unavailable } from '../../domain/errors.ts';
import { publishFile, syncFile, writeNewFile, writeNewFileOf } from '../../base/whole-file.ts';
import { storePath } from '../../store/sqlite/reader.ts';
import { openFile } from '../../store/sqlite/file.ts';

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
