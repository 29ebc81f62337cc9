/**
 * A directory of backups that jobd names itself, by the installation and the time. After each new one it removes its own
 * older ones: never those of another installation, and nothing that is no backup.
 */

import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { backupName, backupsToRemove, parseBackupName } from '../../domain/backups.ts';
import type { Keep, NamedBackup } from '../../domain/backups.ts';
import type { Clock } from '../../domain/clock.ts';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { beginsEncrypted } from './age.ts';
import { findInstanceId } from '../../store/accounts/instance.ts';
import { removeDrafts } from './received.ts';
import { lockBackups } from '../../store/sqlite/lock.ts';
import { openReader, storePath } from '../../store/sqlite/reader.ts';
import { makeBackup, type Backup, type BackupParts } from './backups.ts';

export interface DirectoryParts extends Omit<BackupParts, 'target'> {
  directory: string;
  /** Which older ones stay; null for all. */
  keep: Keep | null;
  clock: Clock;
}

/** A backup that was made, and the paths of those that were removed after it. */
export interface BackupInDirectory extends Backup {
  removed: string[];
}

/** A backup in the directory. */
export interface FoundBackup extends NamedBackup {
  path: string;
  bytes: number;
}

/**
 * Makes a backup in a directory, and then removes older ones. The directory is made if only it is missing. Throws `conflict`
 * while another one is made, and `unavailable`; then nothing was removed.
 */
export async function backUpInto(parts: DirectoryParts): Promise<BackupInDirectory> {
  const { directory, keep, clock, dataDir, encrypt } = parts;
  using _ = lockBackups(dataDir);
  const instanceId = await requireInstance(dataDir);
  makeDirectory(directory);
  for (const place of [directory, dataDir]) removeDrafts(place, (name) => isOf(instanceId, name));
  const at = Math.floor(clock.now() / 1_000) * 1_000;
  const name = backupName({ instanceId, at, isEncrypted: Boolean(encrypt) });
  const target = { path: join(directory, name), descriptor: null };
  const backup = await makeBackup({ ...parts, target });
  if (keep === null) return { ...backup, removed: [] };
  const others = findBackups(directory, instanceId).filter(({ path }) => path !== target.path);
  const removed = backupsToRemove(others, { at }, keep).map(({ path }) => path);
  for (const path of removed) rmSync(path, { force: true });
  return { ...backup, removed };
}

/** The backups of an installation in a directory, the oldest first; none if it is not there. Throws `unavailable`. */
export function findBackups(directory: string, instanceId: string): FoundBackup[] {
  return namesIn(directory)
    .flatMap((name) => {
      const named = parseBackupName(name);
      if (named?.instanceId !== instanceId) return [];
      const path = join(directory, name);
      const bytes = bytesOfBackup(path, named);
      return bytes === null ? [] : [{ ...named, path, bytes }];
    })
    .toSorted((a, b) => a.at - b.at);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw unavailable(`${directory} cannot be read`, error);
  }
}

/** The length of a backup; null for what only has such a name: a link, a directory, or a file that begins otherwise. */
function bytesOfBackup(path: string, named: NamedBackup): number | null {
  try {
    const stats = lstatSync(path);
    if (!stats.isFile()) return null;
    const first = Buffer.alloc(32);
    const descriptor = openSync(path, 'r');
    try {
      readSync(descriptor, first, 0, first.length, 0);
    } finally {
      closeSync(descriptor);
    }
    const isDatabase = first.toString('latin1').startsWith('SQLite format 3\0');
    return (named.isEncrypted ? beginsEncrypted(first) : isDatabase) ? stats.size : null;
  } catch {
    return null;
  }
}

function isOf(instanceId: string, name: string): boolean {
  return parseBackupName(name)?.instanceId === instanceId;
}

async function requireInstance(dataDir: string): Promise<string> {
  await using reader = await openReader(storePath(dataDir));
  const id = await findInstanceId(reader.db);
  if (id !== null) return id;
  throw new JobdError('conflict', `no jobd serve has used the database in ${dataDir} yet`, {
    notes: ['start jobd serve once, or name the file yourself: jobd backup FILE'],
  });
}

/** Not with its parents: a disk that is not mounted would be a new directory on another one. */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return requireWritable(directory);
    throw new JobdError('unavailable', cannotMake(directory, error), { cause: error });
  }
}

function requireWritable(directory: string): void {
  if (!statSync(directory).isDirectory()) {
    throw new JobdError('unavailable', `${directory} is not a directory`);
  }
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = systemCode(error);
    const cannot = `${directory} cannot be written`;
    const words =
      code === 'EROFS'
        ? `it is read-only for jobd; a unit of systemd allows it by ReadWritePaths=${directory}`
        : 'it belongs to another user: give it to the owner of the data';
    throw new JobdError('unavailable', `${cannot}: ${words}`, { cause: error });
  }
}

function cannotMake(directory: string, error: unknown): string {
  const code = systemCode(error);
  const cannot = `${directory} cannot be made`;
  if (code === 'EROFS') {
    return `${cannot}: it is read-only for jobd; make it, and allow it in the unit of systemd by ReadWritePaths=${directory}`;
  }
  if (code === 'ENOENT') return `${cannot}: the directory above it is missing`;
  if (code === 'EACCES') {
    return `${cannot}: the owner of the data may not write above it; make it, and give it to that user`;
  }
  return unavailable(cannot, error).message;
}
