/** `jobd restore`: a backup instead of the database. */

import { closeSync, existsSync, fstatSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Restored, Source } from './backups.ts';
import type { Identities } from './age.ts';
import type { Flags } from '../../settings/config.ts';
import { invalidInput, JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { fileProblem } from '../../domain/file-problem.ts';
import { confirm } from '../../cli/terminal/prompt.ts';
import type { Context } from '../../cli/context.ts';
import { chooseDataDir, enterDataDir, requireFile } from '../../cli/operator/local.ts';
import { dataOption, databaseOption } from '../../cli/operator/place-options.ts';
import { printJson, type Output } from '../../cli/terminal/output.ts';
import type { ReceiptsChecked } from '../../app/operator/receipt-chains.ts';
import { giveUpWords } from '../../app/secrets/missing-key.ts';
import { counted } from '../../domain/counted.ts';
import { openToRead, rootsName } from '../../cli/operator/roots-files.ts';

/** Adds the command. */
export function addRestoreCommand(program: Command, { output }: Context): void {
  program
    .command('restore')
    .argument('<file>', 'a backup')
    .description('replace the database with a backup; the daemon must be stopped')
    .option('--without-key', 'restore without the master key of the backup')
    .option('--unverified', 'restore a backup without proof that it is unchanged')
    .option('--identity <file>', 'decrypt an encrypted backup with what age-keygen wrote here')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd restore /var/backups/jobd-2026-11-21.db --yes
  jobd restore /var/lib/jobd/jobd-before-20261121T173556Z.db --unverified
  jobd restore jobd-5c0e1f7a-20261121T031500Z.db.age --identity key.txt
  jobd restore jobd-before-0.2.0-20261124T080910Z.db --unverified

The second one goes back to the database that an earlier restore kept,
the last to that from before an upgrade.

--unverified is for a file without proof that it is unchanged: a kept database
or a copy of jobd.db. Anyone who could write to the file may have changed jobs,
keys and accounts in it, so use it only for your own files.
--without-key is for a lost master key. Headers, bodies, channel configs and the
signing key cannot be read, and nothing proves that the backup is unchanged.
jobd does not start until you add the key, or discard what it sealed with
jobd secrets forget.`,
    )
    .action((file: string, flags: Flags) => restore(file, flags, output));
}

async function restore(file: string, flags: Flags, output: Output): Promise<void> {
  requireFile(
    flags,
    (database) =>
      `stop jobd, and restore it with pg_restore --clean --if-exists --dbname='${database}' ${file}`,
  );
  const chosen = await chooseDataDir(flags);
  const { restoreBackup } = await import('./backups.ts');
  const { prepareDatabase } = await import('../../serve/local-store.ts');
  const { systemClock } = await import('../../domain/clock.ts');
  const identityFile = typeof flags['identity'] === 'string' ? flags['identity'] : null;
  const { parseIdentities } = await import('./age.ts');
  const readIdentities = (name: string): Identities => parseIdentities(readSmallFile(name), name);
  const {
    path: directory,
    opened,
    keys,
  } = enterDataDir(chosen, output, () => {
    const [name, identityName] = [rootsName(file), identityFile && rootsName(identityFile)];
    return {
      source: name === null ? null : openBackup(name),
      identities: identityName === null ? null : readIdentities(identityName),
    };
  });
  const identities =
    opened?.identities ?? (identityFile === null ? null : readIdentities(identityFile));
  const masterKeys = prepareDatabase(directory, keys.current);
  const restored = await restoreBackup(opened?.source ?? openBackup(file), {
    dataDir: directory,
    clock: systemClock,
    masterKeys,
    withoutKey: flags['withoutKey'] === true,
    unverified: flags['unverified'] === true,
    identities,
    confirm: () =>
      confirm(`Replace the database in ${directory} with ${file}?`, flags['yes'] === true),
  });
  if (flags['json']) printJson(output, restored);
  else reportRestore(output, restored, masterKeys.name);
}

function reportRestore(output: Output, restored: Restored, keysName: string): void {
  if (!restored.verified) {
    output.say('warning: jobd could not check whether this backup was changed');
  }
  reportReceipts(output, restored.receipts);
  if (restored.kept !== null) {
    output.say(`the previous database was kept as ${restored.kept}; delete it once you are sure,`);
    output.say(`or go back: jobd restore ${restored.kept} --unverified`);
  }
  for (const [count, what, before, after] of [
    [restored.runsSince, 'run', 'only the previous database has', 'that came after the backup'],
    [restored.decided, 'due time', 'it has decided on', 'since: they are not called again'],
    [
      restored.unknown,
      'due time',
      'recorded as missed:',
      'of which nobody knows whether they were called',
    ],
    [restored.dropped, 'run', 'dropped:', 'that waited to be started, and may have begun since'],
    [
      restored.inFlight,
      'call',
      'interrupted:',
      'in flight at the backup: how they ended is not known here',
    ],
  ] as const) {
    if (count) output.say(`${before} ${counted(count, what)} ${after};`);
  }
  output.say('keys that were revoked since are valid again, see jobd key list;');
  output.say('browsers that were signed in have to sign in again');
  for (const id of restored.missingKeys) {
    output.say(`jobd does not start without the master key ${id}: add it to ${keysName};`);
    output.say(giveUpWords(id));
  }
}

function reportReceipts(output: Output, { receipts, checked, problem }: ReceiptsChecked): void {
  if (problem !== null) output.say(`warning: ${problem}`);
  else if (checked < receipts) {
    output.say(`checked the newest ${counted(checked, 'receipt')} of ${receipts}: all are valid`);
  } else if (checked > 0) output.say(`checked ${counted(checked, 'receipt')}: all are valid`);
}

/** More than any file of identities has. */
const longestIdentities = 64 * 1024;

/** The text of a file of identities. Throws `invalid_input`. */
function readSmallFile(path: string): string {
  try {
    const descriptor = openToRead(path);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size > longestIdentities) {
        throw invalidInput(`--identity ${path} is not a file of identities`);
      }
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof JobdError) throw error;
    throw invalidInput(`--identity: ${fileProblem(path, error)}`);
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
