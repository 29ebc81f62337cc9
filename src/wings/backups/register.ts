/** Backups by command and by plan, encrypted if wanted, and the way back. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.commands({
    heading: 'operate',
    names: ['backup'],
    load: async () => (await import('./backup-command.ts')).addBackupCommand,
  });
  house.commands({
    heading: 'operate',
    names: ['restore'],
    load: async () => (await import('./restore-command.ts')).addRestoreCommand,
  });
  house.daemon(async () => (await import('./scheduled.ts')).backUpAsPlanned);
}
