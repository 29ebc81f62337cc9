/** `jobd backup`: the database to one file. */

import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupInDirectory } from './backup-directory.ts';
import type { Backup } from './backups.ts';
import type { Encrypt } from './age.ts';
import type { Flags } from '../../settings/config.ts';
import { backupRecipients, parseKeep } from '../../settings/setting.ts';
import type { Keep } from '../../domain/backups.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Context } from '../../cli/context.ts';
import { collect } from '../../cli/options.ts';
import { enterStore, requireFile } from '../../cli/operator/local.ts';
import { dataOption, databaseOption } from '../../cli/operator/place-options.ts';
import { printJson, type Output } from '../../cli/terminal/output.ts';
import { counted } from '../../domain/counted.ts';
import { makeNewFile } from '../../cli/operator/new-file.ts';
import { requireRootsName, rootsNewName } from '../../cli/operator/roots-files.ts';

/** Adds the command. */
export function addBackupCommand(program: Command, { output }: Context): void {
  program
    .command('backup')
    .argument('[file]', 'file to write; must not exist yet')
    .description('back up the database to one file, while the daemon runs')
    .option('--to <dir>', 'instead of a file: a directory, in which jobd names the backups')
    .option('--keep <duration|n>', 'with --to: remove older backups of its own, all but these')
    .option(
      '--recipient <age1…>',
      'encrypt it with age, for whom this is the public key; may be repeated',
      collect,
    )
    .option('--allow-empty', 'back up a database without any jobs, monitors and keys')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd backup /var/backups/jobd-$(date +%F).db
  jobd backup today.db && gzip today.db
  jobd backup --to /var/backups/jobd --keep 7d
  jobd backup --to /mnt/backups --keep 30 --recipient age1…

The backup does not contain the master key: also copy the file secret-key from
the data directory, to another place.

--keep 7d removes what is older than seven days, --keep 30 all but the newest
thirty, once the new backup is made. Only files with exactly the names that jobd
gives to backups of this installation are removed.
jobd serve makes backups by itself: jobd serve --backup-to DIR.`,
    )
    .action(async (file: string | undefined, flags: BackupFlags) => {
      requireFile(
        flags,
        (database) =>
          `back it up with pg_dump --format=custom --file=${file ?? 'FILE'} '${database}', and keep the master key elsewhere`,
      );
      const place = placeOf(file, flags);
      const encrypt = await encryptionOf(flags);
      const backup = await ('file' in place
        ? backUpTo(place.file, { flags, encrypt, output })
        : backUpIntoDirectory(place, { flags, encrypt, output }));
      if (flags['json']) return printJson(output, backup);
      output.data(backup.path);
      reportBackup(output, backup);
    });
}

type BackupFlags = Flags & { to?: string; keep?: string; recipient?: string[] };

/** A file that the user names, or a directory. */
type BackupPlace = { file: string } | { directory: string; keep: Keep | null };

function placeOf(file: string | undefined, { to, keep }: BackupFlags): BackupPlace {
  if (to === undefined) {
    if (keep !== undefined) throw new JobdError('usage', '--keep needs --to DIR');
    if (file !== undefined) return { file };
    throw new JobdError('usage', 'name a file to write, or a directory with --to');
  }
  if (file !== undefined) throw new JobdError('usage', 'either a file, or --to DIR');
  if (to === '') throw new JobdError('usage', '--to has nothing in it: name a directory');
  return {
    directory: resolve(to),
    keep: keep === undefined ? null : parseKeep({ name: '--keep', value: keep }),
  };
}

async function encryptionOf({ recipient }: BackupFlags): Promise<Encrypt | null> {
  if (recipient === undefined) return null;
  const { encryptFor } = await import('./age.ts');
  return encryptFor(backupRecipients(recipient, '--recipient'));
}

interface Wanted {
  flags: BackupFlags;
  encrypt: Encrypt | null;
  output: Output;
}

async function backUpTo(file: string, { flags, encrypt, output }: Wanted): Promise<Backup> {
  const { makeBackup } = await import('./backups.ts');
  const { prepareDatabase } = await import('../../serve/local-store.ts');
  const {
    path: dataDir,
    opened,
    keys,
  } = await enterStore(flags, output, () => {
    const name = rootsNewName(file);
    return name === null ? null : makeNewFile(name);
  });
  await using made = opened;
  requireRootsName(file);
  const masterKeys = prepareDatabase(dataDir, keys.current);
  const target = { path: file, descriptor: made?.descriptor ?? null };
  const allowEmpty = flags['allowEmpty'] === true;
  const backup = await makeBackup({ dataDir, target, masterKeys, allowEmpty, encrypt });
  made?.keep();
  return backup;
}

async function backUpIntoDirectory(
  { directory, keep }: { directory: string; keep: Keep | null },
  { flags, encrypt, output }: Wanted,
): Promise<BackupInDirectory> {
  const { backUpInto } = await import('./backup-directory.ts');
  const { prepareDatabase } = await import('../../serve/local-store.ts');
  const { systemClock: clock } = await import('../../domain/clock.ts');
  const { path: dataDir, keys } = await enterStore(flags, output);
  requireRootsName(join(directory, 'jobd.db'));
  const masterKeys = prepareDatabase(dataDir, keys.current);
  const allowEmpty = flags['allowEmpty'] === true;
  return await backUpInto({ dataDir, directory, keep, clock, masterKeys, allowEmpty, encrypt });
}

function reportBackup(output: Output, backup: Backup | BackupInDirectory): void {
  const { masterKeys, contents, isEncrypted, unprovenBecause, foreign } = backup;
  const removed = 'removed' in backup ? backup.removed : [];
  const { jobs, monitors, runs, keys } = contents;
  const counts = [counted(jobs, 'job'), counted(monitors, 'monitor'), counted(runs, 'run')];
  output.say(`it holds ${[...counts, counted(keys, 'key')].join(', ')}`);
  if (removed.length > 0) {
    output.say(`${counted(removed.length, 'older backup')} removed: ${removed.join(', ')}`);
  }
  if (foreign !== null) {
    output.say(`warning: jobd restore will refuse it: ${foreign}; see jobd doctor`);
  }
  if (isEncrypted) {
    output.say('it is encrypted: only who has the identity of a recipient can restore it');
  }
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
