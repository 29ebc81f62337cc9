/** `jobd backup` and `jobd restore`: the database as one file, and back. */

import { constants, existsSync, fstatSync, openSync } from 'node:fs';
import type { Command } from 'commander';
import type { Source } from '../../app/operator/backups.ts';
import { dataDir, secretKeys } from '../../config.ts';
import type { Flags } from '../../config.ts';
import { JobdError, unavailable } from '../../domain/errors.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { enterDataDir } from './local.ts';
import { printJson } from '../terminal/output.ts';
import { rootsName } from './owner.ts';

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
      const { makeBackup } = await import('../../app/operator/backups.ts');
      const { prepareDatabase } = await import('../../local-store.ts');
      const { path: directory, opened: descriptor } = enterDataDir(flags, () => {
        const name = rootsName(file);
        return name === null ? null : makeFile(name);
      });
      const masterKeys = prepareDatabase(directory, secretKeys().current);
      const backup = await makeBackup(directory, { path: file, descriptor }, masterKeys);
      if (flags['json']) return printJson(output, backup);
      output.data(backup.path);
      if (backup.masterKeys.length === 0) return;
      const needed = backup.masterKeys.join(' and ');
      output.say(
        `it can be read only with the master key ${needed}, which is not in it: keep both`,
      );
      if (backup.provenBy === null) {
        output.say(
          `that key is not in ${masterKeys.name} either, so nothing proves that the backup is not changed: ` +
            'restore will ask for --unverified',
        );
      }
    });

  program
    .command('restore')
    .argument('<file>', 'a backup')
    .description('put a backup in the place of the database; the daemon must be stopped')
    .option('--without-key', 'restore without the master key of the backup')
    .option('--unverified', 'restore although nothing proves that the backup is unchanged')
    .option('--yes', 'do not ask')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd restore /var/backups/jobd-2026-11-21.db --yes\n' +
        '  jobd restore /var/lib/jobd/jobd-before-20261121T173556Z.db --unverified\n' +
        '\nThe second one goes back to the database that an earlier restore kept.\n' +
        '\n--unverified is for a file that carries no proof: a kept database, or a copy of\n' +
        'jobd.db. Whoever could write the file may have changed jobs, keys and accounts\n' +
        'in it: use it only for a file of your own.\n' +
        '--without-key is for a lost master key. Headers, bodies, configs of channels and\n' +
        'the signing key cannot be read, and nothing proves that the backup is unchanged.\n' +
        'jobd does not start until the key is there, or given up: jobd secrets forget.',
    )
    .action(async (file: string, flags: Flags) => {
      const question = `Put ${file} in the place of the database in ${dataDir(flags)}?`;
      await confirm(question, flags['yes'] === true);
      const { restoreBackup } = await import('../../app/operator/backups.ts');
      const { prepareDatabase } = await import('../../local-store.ts');
      const { systemClock } = await import('../../domain/clock.ts');
      const { path: directory, opened } = enterDataDir(flags, () => {
        const name = rootsName(file);
        return name === null ? null : openBackup(name);
      });
      const masterKeys = prepareDatabase(directory, secretKeys().current);
      const restored = await restoreBackup(opened ?? openBackup(file), {
        dataDir: directory,
        clock: systemClock,
        masterKeys,
        withoutKey: flags['withoutKey'] === true,
        unverified: flags['unverified'] === true,
      });
      if (flags['json']) return printJson(output, restored);
      if (!restored.verified) {
        output.say('warning: it was not checked whether somebody changed this backup');
      }
      if (restored.kept !== null) {
        output.say(
          `the previous database was kept as ${restored.kept}; delete it once you are sure,`,
        );
        output.say(`or to go back: jobd restore ${restored.kept} --unverified`);
      }
      output.say('what was due since the backup will be recorded as missed at the next start,');
      output.say('and keys that were revoked since are valid again: jobd key list');
      for (const id of restored.missingKeys) {
        output.say(
          `jobd does not start without the master key ${id}: add it to ${masterKeys.name}, or give up what it sealed: jobd secrets forget ${id}`,
        );
      }
    });
}

/** Makes a file that only its owner can read. Throws `conflict` if there is one, or a link, of this name. */
function makeFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isThere) throw unavailable(`${path} cannot be written`, error);
    throw new JobdError('conflict', `${path} is there already: name another file, or remove it`);
  }
}

/** Opens a backup, and the log beside it, which a copy of a database in use has. Throws `not_found` or `unavailable`. */
function openBackup(path: string): Source {
  try {
    // Of a pipe nobody would wait for the other end.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(descriptor).isFile()) throw new Error('it is no file');
    const log = existsSync(`${path}-wal`) ? openSync(`${path}-wal`, 'r') : null;
    return { path, descriptor, log };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing) throw unavailable(`${path} cannot be read`, error);
    throw new JobdError('not_found', `${path} is not there`);
  }
}
