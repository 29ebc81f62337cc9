/** The backups that a daemon is to make, as people write it in flags and in the environment. */

import { resolve } from 'node:path';
import type { BackupPlan, Keep } from '../domain/backups.ts';
import { invalidInput } from '../domain/errors.ts';
import { durationOf, parseDuration } from './setting.ts';
import type { Setting } from './setting.ts';

/** The settings of a plan, unparsed. */
export interface BackupSettings {
  to: Setting;
  every: Setting;
  keep: Setting;
  recipients: readonly string[];
  /** Whether the database is on a server. */
  isOnServer: boolean;
}

/** More often, a large database would be copied all the time. */
const shortestEveryMs = 60_000;

/** Parses the plan; null if no backups are wanted. Throws `invalid_input`. */
export function parseBackupPlan(settings: BackupSettings): BackupPlan | null {
  const { to, every, keep, recipients, isOnServer } = settings;
  const plan = {
    directory: resolve(to.value),
    everyMs: parseDuration(every.value, every.name) * 1_000,
    keep: parseKeep(keep.value, keep.name),
    recipients,
  };
  if (plan.everyMs < shortestEveryMs) {
    throw invalidInput(`${every.name} must be at least 1m, got ${every.value}`);
  }
  if (to.value === '') {
    if (recipients.length === 0) return null;
    // Whoever wants encrypted backups would be surprised to have none.
    throw invalidInput(`--backup-recipient (or JOBD_BACKUP_RECIPIENTS) needs ${to.name}`);
  }
  if (!isOnServer) return plan;
  throw invalidInput(
    `${to.name} is for a database in a file: back up a PostgreSQL server with its own tools, such as pg_dump`,
  );
}

/** How long backups are kept, or how many: `7d`, `12h`, or a number. Throws `invalid_input`. */
export function parseKeep(text: string, flag: string): Keep {
  if (/^[1-9]\d{0,5}$/.test(text)) return { count: Number(text) };
  const seconds = /^[1-9]\d{0,5}[smhd]$/.test(text) ? parseDuration(text, flag) : 0;
  if (seconds > 0) return { ms: seconds * 1_000 };
  throw invalidInput(
    `${flag} must be a duration such as 7d or 12h, or how many to keep, such as 7, got ${text || 'nothing'}`,
  );
}

/** What `parseKeep` reads as the same. */
export function keepText(keep: Keep): string {
  return 'count' in keep ? String(keep.count) : durationOf(keep.ms / 1_000);
}
