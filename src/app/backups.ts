/** Backups of the database: made at any time, put back while no daemon runs. */

import { stat } from 'node:fs/promises';
import { isoTime } from '../domain/clock.ts';
import type { Clock } from '../domain/clock.ts';
import { JobdError } from '../domain/errors.ts';
import type { MasterKeys } from '../secrets/master-keys.ts';
import { copyDatabase, replaceDatabase } from '../store/backup.ts';
import { hasTable } from '../store/dialect.ts';
import { checkDatabase } from '../store/inspect.ts';
import { lockDataDir } from '../store/lock.ts';
import { listMasterKeys } from '../store/master-keys.ts';
import { newestVersion, schemaVersion } from '../store/migrate.ts';
import { openReader, storePath } from '../store/open.ts';
import type { Db, Reader } from '../store/open.ts';

/** A backup that was made. */
export interface Backup {
  path: string;
  bytes: number;
  /** Ids of the master keys without which what is sealed in it cannot be read; the keys are not in it. */
  masterKeys: string[];
}

/** Writes a backup while a daemon works, or without one. Throws `conflict`, `not_found` or `unavailable`. */
export async function makeBackup(dataDir: string, path: string): Promise<Backup> {
  await using reader = await openJobd(storePath(dataDir));
  await copyDatabase(reader.db, path);
  const { size } = await stat(path);
  return { path, bytes: size, masterKeys: await masterKeysOf(reader.db) };
}

export interface RestoreParts {
  dataDir: string;
  clock: Clock;
  masterKeys: MasterKeys;
  /** Whether to go on where the master key of the backup is not there. */
  withoutKey: boolean;
}

/** What was put back. */
export interface Restored {
  /** Where the database of before is now; null if there was none. */
  kept: string | null;
}

/**
 * Puts a backup in the place of the database, which is kept under another name. Throws, having changed
 * nothing: `not_found`, `conflict` while a daemon runs, `unavailable` if the file is no backup that this jobd
 * can read, or its master key is not there.
 */
export async function restoreBackup(path: string, parts: RestoreParts): Promise<Restored> {
  const { dataDir, clock, masterKeys, withoutKey } = parts;
  await requireFile(path);
  using locks = new DisposableStack();
  locks.use(lockDataDir(dataDir));
  await using backup = await openJobd(path);
  const version = await schemaVersion(backup.db);
  if (version > newestVersion) {
    throw new JobdError('unavailable', `${path} was written by a newer jobd: run that one`);
  }
  const [damage] = await checkDatabase(backup.db);
  if (damage !== undefined) throw new JobdError('unavailable', `${path} is damaged: ${damage}`);
  if (!withoutKey) await requireMasterKeys(backup.db, masterKeys);
  const when = isoTime(clock.now()).replace(/[-:]|\.\d+/g, '');
  return { kept: await replaceDatabase(backup.db, dataDir, `jobd-before-${when}`) };
}

/** Opens a database of jobd, whatever its version. Throws `not_found` or `unavailable`. */
async function openJobd(path: string): Promise<Reader> {
  await requireFile(path);
  const reader = await openReader(path);
  if ((await schemaVersion(reader.db)) > 0) return reader;
  await reader[Symbol.asyncDispose]();
  throw new JobdError('unavailable', `${path} is no database of jobd`);
}

async function requireFile(path: string): Promise<void> {
  await stat(path).catch(() => {
    throw new JobdError('not_found', `${path} is not there`);
  });
}

async function masterKeysOf(db: Db): Promise<string[]> {
  // A database of before there were sealed values has no list of keys.
  if (!(await hasTable(db, 'master_keys'))) return [];
  return (await listMasterKeys(db)).map(({ keyId }) => keyId);
}

async function requireMasterKeys(db: Db, masterKeys: MasterKeys): Promise<void> {
  const here = new Set(masterKeys.read().map(({ id }) => id));
  const missing = (await masterKeysOf(db)).filter((id) => !here.has(id));
  if (missing.length === 0) return;
  throw new JobdError(
    'unavailable',
    `what is sealed in the backup needs the master key ${missing.join(' and ')}, which is not in ${masterKeys.name}: ` +
      'put it there first, or say --without-key',
  );
}
