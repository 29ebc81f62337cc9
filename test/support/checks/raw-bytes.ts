/** Every byte of a database on the disk. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** The database with its log and index, and a copy as a backup makes it. */
export async function rawBytes(dataDir: string): Promise<string> {
  const path = join(dataDir, 'jobd.db');
  const copy = join(dataDir, '..', 'copy.db');
  const database = new Database(path, { readonly: true });
  await database.backup(copy);
  const files = [path, `${path}-wal`, `${path}-shm`, copy].filter((file) => existsSync(file));
  const bytes = files.map((file) => readFileSync(file, 'latin1')).join('\n');
  database.close();
  return bytes;
}
