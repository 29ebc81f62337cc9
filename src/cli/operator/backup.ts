/** `jobd backup` and `jobd restore`: the database to one file, and back. */

import { existsSync, fstatSync } from 'node:fs';
import type { Command } from 'commander';
import type { Backup, Restored, Source } from '../../app/operator/backups.ts';
import { secretKeys } from '../../config.ts';
import type { Flags } from '../../config.ts';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { fileProblem } from '../../domain/file-problem.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { chooseDataDir, enterDataDir, enterStore, requireFile } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { printJson } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { giveUpWords } from '../../app/secrets/missing-key.ts';
import { counted } from '../terminal/text.ts';
import { makeNewFile } from './new-file.ts';
import { openToRead, requireRootsName, rootsName, rootsNewName } from './owner/roots-files.ts';

/** Adds the commands. */
export function addBackupCommands(program: Command, { output }: Context): void {
  addBackupCommand(program, output);
  addRestoreCommand(program, output);
}

function addBackupCommand(program: Command, output: Output): void {
  program
    .command('backup')
    .argument('<file>', 'file to write; must not exist yet')
    .description('back up the database to one file, while the daemon runs')
    .option('--allow-empty', 'back up a database without any jobs, monitors and keys')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd backup /var/backups/jobd-$(date +%F).db
  jobd backup today.db && gzip today.db

The backup does not contain the master key: also copy the file secret-key from
the data directory, to another place.`,
    )
    .action(async (file: string, flags: Flags) => {
      requireFile(
        flags,
        (database) =>
          `back it up with pg_dump --format=custom --file=${file} '${database}', and keep the master key elsewhere`,
      );
      const { makeBackup } = await import('../../app/operator/backups.ts');
      const { prepareDatabase } = await import('../../local-store.ts');
      const { path: dataDir, opened } = await enterStore(flags, output, () => {
        const name = rootsNewName(file);
        return name === null ? null : makeNewFile(name);
      });
      await using made = opened;
      requireRootsName(file);
      const masterKeys = prepareDatabase(dataDir, secretKeys().current);
      const target = { path: file, descriptor: made?.descriptor ?? null };
      const allowEmpty = flags['allowEmpty'] === true;
      const backup = await makeBackup({ dataDir, target, masterKeys, allowEmpty });
      made?.keep();
      if (flags['json']) return printJson(output, backup);
      output.data(backup.path);
      reportBackup(output, backup);
    });
}

function reportBackup(output: Output, { masterKeys, contents, unprovenBecause }: Backup): void {
  const { jobs, monitors, runs, keys } = contents;
  const counts = [counted(jobs, 'job'), counted(monitors, 'monitor'), counted(runs, 'run')];
  output.say(`it holds ${[...counts, counted(keys, 'key')].join(', ')}`);
  if (masterKeys.length === 0) return;
  const needed = masterKeys.join(' and ');
  output.say(
    `its secrets can only be read with the master key ${needed}, which it does not contain: keep both`,
  );
  if (unprovenBecause === null) return;
  output.say(
    'warning: nothing proves that the backup is unchanged, so restore needs --unverified:',
  );
  output.say(unprovenBecause);
}

function addRestoreCommand(program: Command, output: Output): void {
  program
    .command('restore')
    .argument('<file>', 'a backup')
    .description('replace the database with a backup; the daemon must be stopped')
    .option('--without-key', 'restore without the master key of the backup')
    .option('--unverified', 'restore a backup without proof that it is unchanged')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd restore /var/backups/jobd-2026-11-21.db --yes
  jobd restore /var/lib/jobd/jobd-before-20261121T173556Z.db --unverified

The second one goes back to the database that an earlier restore kept.

--unverified is for a file without proof that it is unchanged: a kept database
or a copy of jobd.db. Anyone who could write to the file may have changed jobs,
keys and accounts in it, so use it only for your own files.
--without-key is for a lost master key. Headers, bodies, channel configs and the
signing key cannot be read, and nothing proves that the backup is unchanged.
jobd does not start until you add the key, or discard what it sealed with
jobd secrets forget.`,
    )
    .action(async (file: string, flags: Flags) => {
      requireFile(
        flags,
        (database) =>
          `stop jobd, and restore it with pg_restore --clean --if-exists --dbname='${database}' ${file}`,
      );
      const chosen = await chooseDataDir(flags);
      const { restoreBackup } = await import('../../app/operator/backups.ts');
      const { prepareDatabase } = await import('../../local-store.ts');
      const { systemClock } = await import('../../domain/clock.ts');
      const { path: directory, opened } = enterDataDir(chosen, output, () => {
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
        confirm: () =>
          confirm(`Replace the database in ${directory} with ${file}?`, flags['yes'] === true),
      });
      if (flags['json']) printJson(output, restored);
      else reportRestore(output, restored, masterKeys.name);
    });
}

function reportRestore(output: Output, restored: Restored, keysName: string): void {
  if (!restored.verified) {
    output.say('warning: jobd could not check whether this backup was changed');
  }
  if (restored.kept !== null) {
    output.say(`the previous database was kept as ${restored.kept}; delete it once you are sure,`);
    output.say(`or go back: jobd restore ${restored.kept} --unverified`);
  }
  output.say('runs that were due since the backup are recorded as missed at the next start;');
  output.say('keys that were revoked since are valid again, see jobd key list;');
  output.say('browsers that were signed in have to sign in again');
  for (const id of restored.missingKeys) {
    output.say(`jobd does not start without the master key ${id}: add it to ${keysName};`);
    output.say(giveUpWords(id));
  }
}

/** Opens a backup and, for a copy of a database in use, the log beside it. Throws `not_found` or `unavailable`. */
function openBackup(path: string): Source {
  try {
    const descriptor = openToRead(path);
    if (!fstatSync(descriptor).isFile()) throw new Error('not a regular file');
    const log = existsSync(`${path}-wal`) ? openToRead(`${path}-wal`) : null;
    return { path, descriptor, log };
  } catch (error) {
    if (error instanceof JobdError) throw error;
    const code = systemCode(error);
    if (code === 'ENOENT') {
      throw new JobdError('not_found', fileProblem(path, error), { cause: error });
    }
    // Root acts as the owner here, so it is about the owner in either case.
    const sentence = `the owner of the data directory may not read ${path}`;
    if (code === 'EACCES') throw new JobdError('unavailable', sentence, { cause: error });
    throw unavailable(`${path} cannot be read`, error);
  }
}
