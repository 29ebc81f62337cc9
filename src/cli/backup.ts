/** `jobd backup` and `jobd restore`: the database as one file, and back. */

import type { Command } from 'commander';
import { dataDir, secretKeys } from '../config.ts';
import type { Flags } from '../config.ts';
import { confirm } from './confirm.ts';
import type { Context } from './context.ts';
import { printJson } from './output.ts';
import { plain } from './text.ts';

/** Adds the commands. */
export function addBackupCommands(program: Command, { output }: Context): void {
  program
    .command('backup')
    .argument('<file>', 'where to write it; must not be there yet')
    .description('write the database to one file, while the daemon runs')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd backup /var/backups/jobd-$(date +%F).db\n' +
        '  jobd backup today.db && gzip today.db\n' +
        '\nThe master key is not in it: keep a copy of the file secret-key of the data\n' +
        'directory as well, somewhere else.',
    )
    .action(async (file: string, flags: Flags) => {
      const { makeBackup } = await import('../app/backups.ts');
      // It says where the database driver goes if the data directory is no place for it.
      await import('../daemon.ts');
      const directory = dataDir(flags);
      const backup = await makeBackup(directory, file);
      if (flags['json']) return printJson(output, backup);
      output.data(backup.path);
      if (backup.masterKeys.length === 0) return;
      const needed = backup.masterKeys.join(' and ');
      output.say(
        `it can be read only with the master key ${needed}, which is not in it: keep both`,
      );
    });

  program
    .command('restore')
    .argument('<file>', 'a backup')
    .description('put a backup in the place of the database; the daemon must be stopped')
    .option('--without-key', 'even if the master key of the backup is not there')
    .option('--yes', 'do not ask')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd restore /var/backups/jobd-2026-11-21.db --yes')
    .action(async (file: string, flags: Flags) => {
      const directory = dataDir(flags);
      const question = `Put ${plain(file)} in the place of the database in ${plain(directory)}?`;
      await confirm(question, flags['yes'] === true);
      const { restoreBackup } = await import('../app/backups.ts');
      const { masterKeysFor } = await import('../daemon.ts');
      const { systemClock } = await import('../domain/clock.ts');
      const restored = await restoreBackup(file, {
        dataDir: directory,
        clock: systemClock,
        masterKeys: masterKeysFor(directory, { ...secretKeys(), next: null }),
        withoutKey: flags['withoutKey'] === true,
      });
      if (flags['json']) return printJson(output, restored);
      if (restored.kept !== null) {
        output.say(`the database of before is ${restored.kept}: remove it when you are sure`);
      }
      output.say('what was due since the backup will be recorded as missed at the next start,');
      output.say('and keys that were revoked since are valid again: jobd key list');
    });
}
