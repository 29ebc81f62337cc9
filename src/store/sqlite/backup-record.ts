/**
 * What a daemon last knew of its backups, as a file in the data directory: `jobd doctor` has no other way to know. It is not
 * in the database, which a restore sets back.
 */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupPlan } from '../../domain/backups.ts';
import { systemCode } from '../../domain/errors.ts';
import { replaceFile } from '../../base/whole-file.ts';

export interface MadeBackup {
  /** In epoch milliseconds. */
  at: number;
  path: string;
  bytes: number;
}

export interface BackupRecord {
  plan: BackupPlan;
  /** The newest one; null if there is none. */
  last: MadeBackup | null;
  /** Why there is none newer, and since when; null if the last attempt succeeded. */
  failure: { since: number; error: string } | null;
}

const pathIn = (dataDir: string): string => join(dataDir, 'backups.json');

/** Keeps the record of a data directory; null if its daemon makes no backups. */
export function writeBackupRecord(dataDir: string, record: BackupRecord | null): void {
  const path = pathIn(dataDir);
  if (record === null) rmSync(path, { force: true });
  else {
    rmSync(`${path}.new`, { force: true });
    replaceFile(path, `${path}.new`, `${JSON.stringify(record, null, 2)}\n`);
  }
}

/** Reads the record; null if there is none. Throws what reading or parsing throws. */
export function readBackupRecord(dataDir: string): BackupRecord | null {
  try {
    // The daemon wrote it into its own directory.
    return JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as BackupRecord;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
