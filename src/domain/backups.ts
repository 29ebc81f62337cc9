/** Backups that jobd names itself, in a directory: what they are called, when the next is due, and which may go. */

import { isoTime } from './clock.ts';

/** What the name of a backup says. */
export interface NamedBackup {
  /** The installation that made it. Others may use the same directory. */
  instanceId: string;
  /** When it was begun, in epoch milliseconds; whole seconds. */
  at: number;
  isEncrypted: boolean;
}

const form = /^jobd-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db(\.age)?$/;

/** The file name of a backup, such as `jobd-5c0e1f7a-20261121T031500Z.db`. */
export function backupName({ instanceId, at, isEncrypted }: NamedBackup): string {
  const time = isoTime(at).replace(/[-:]|\.\d+/g, '');
  return `jobd-${instanceId}-${time}.db${isEncrypted ? '.age' : ''}`;
}

/** What a file name says; null unless jobd would give exactly this name. */
export function parseBackupName(name: string): NamedBackup | null {
  const [, instanceId = '', ...parts] = form.exec(name) ?? [];
  const [year, month, day, hour, minute, second, ending] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(at)) return null;
  const named = { instanceId, at, isEncrypted: ending !== undefined };
  return backupName(named) === name ? named : null;
}

/** How many backups are kept, or for how long. */
export type Keep = { count: number } | { ms: number };

/**
 * Which of the older backups may go after one that was just made: beyond a count that includes it, or beyond a duration. Of
 * a duration the newest older one stays in any case: after a long standstill, or by a wrong clock, all of them are old.
 * Backups whose names say a later time stay, and do not count: the clock was wrong then, or is now.
 */
export function backupsToRemove<Older extends { at: number }>(
  others: readonly Older[],
  made: { at: number },
  keep: Keep,
): Older[] {
  const older = others.filter(({ at }) => at < made.at).toSorted((a, b) => b.at - a.at);
  if ('count' in keep) return older.slice(Math.max(keep.count - 1, 0));
  return older.slice(1).filter(({ at }) => at < made.at - keep.ms);
}

/** When the next backup is due, in epoch milliseconds: at once if there is none. A newest one of the future counts as of now. */
export function nextBackupAt(newestAt: number | null, everyMs: number, now: number): number {
  return newestAt === null ? now : Math.min(newestAt, now) + everyMs;
}

/** The backups that a daemon makes by itself. */
export interface BackupPlan {
  directory: string;
  everyMs: number;
  /** As `jobd backup --keep` reads it. */
  keep: string;
  /** Who can decrypt them; nobody has to if there are none. */
  recipients: readonly string[];
}
