/** Backups by command and by plan, encrypted if wanted, and the way back. */

import { filesOf, type Wing } from '../../serve/house.ts';

export const backups: Wing = {
  commands: filesOf('operate', {
    backup: async () => (await import('./backup-command.ts')).addBackupCommand,
    restore: async () => (await import('./restore-command.ts')).addRestoreCommand,
  }),
  daemon: async () => (await import('./planned.ts')).backUpAsPlanned,
};
