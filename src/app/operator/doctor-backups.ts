/** What the doctor says of the backups that `jobd serve` makes. */

import { statSync } from 'node:fs';
import { isoTime } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import { inTwoUnits } from '../../domain/durations.ts';
import { messageOf } from '../../domain/errors.ts';
import { sizeText } from '../../domain/sizes.ts';
import { readBackupRecord } from '../../store/sqlite/backup-record.ts';
import type { BackupRecord, MadeBackup } from '../../store/sqlite/backup-record.ts';
import { fail, ok, warn } from './finding.ts';
import type { Result } from './finding.ts';

/** Whether there is a backup that is not too old. */
export function checkBackups(dataDir: string, clock: Clock): Result {
  const record = readBackupRecord(dataDir);
  if (record === null) {
    return ok('jobd serve makes none (--backup-to): be sure that something else does');
  }
  const { plan, last, failure } = record;
  const notes = failure === null ? [] : [failureNote(failure)];
  if (last === null) {
    if (failure !== null) return fail(`none in ${plan.directory} yet`, notes);
    return warn(`none in ${plan.directory} yet: jobd serve makes the first one soon`);
  }
  const lost = lossOf(last);
  if (lost !== null) return fail(lost, notes);
  const made = wordsOf(record, last);
  // Half as long again allows for a backup that takes long, and for a restart.
  if (clock.now() - last.at > plan.everyMs * 1.5 + 3_600_000)
    return fail(`${made}: it is old`, notes);
  return failure === null ? ok(made) : warn(made, notes);
}

function wordsOf({ plan }: BackupRecord, { at, path, bytes }: MadeBackup): string {
  const every = inTwoUnits(plan.everyMs / 1_000, { minute: 'min' });
  const how = plan.recipients.length === 0 ? 'not encrypted' : 'encrypted';
  return `every ${every}, ${how}; the last is of ${isoTime(at)}: ${path}, ${sizeText(bytes)}`;
}

function failureNote({ since, error }: NonNullable<BackupRecord['failure']>): string {
  return `they fail since ${isoTime(since)}: ${error}`;
}

/** Why the newest backup is of no use, or null. */
function lossOf({ path, bytes }: MadeBackup): string | null {
  try {
    const { size } = statSync(path);
    if (size === bytes) return null;
    return `the newest backup ${path} is not as long as it was made, ${size} instead of ${bytes} bytes`;
  } catch (error) {
    return `the newest backup ${path} cannot be read: ${messageOf(error)}`;
  }
}
