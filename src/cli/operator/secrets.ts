/** `jobd secrets`: the master key, which encrypts secrets in the database. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { counted } from '../../domain/counted.ts';
import { enterPlace, openStoreAt, type EnteredPlace } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { printJson, printRows, type Output } from '../terminal/output.ts';

/** Adds the commands. */
export function addSecretsCommands(program: Command, { output }: Context): void {
  const secrets = program
    .command('secrets')
    .description('manage the master key, which encrypts headers, bodies and channel configs');
  addRotateCommand(secrets, output);
  addForgetCommand(secrets, output);
}

function addRotateCommand(secrets: Command, output: Output): void {
  secrets
    .command('rotate')
    .description('encrypt all secrets with a new master key; works while the daemon runs')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd secrets rotate --yes
  JOBD_SECRET_KEY_NEW=$(openssl rand -base64 32) jobd secrets rotate --yes

If your master key is in JOBD_SECRET_KEY (or JOBD_SECRET_KEY_FILE), stop the
daemon, put the new key in JOBD_SECRET_KEY_NEW (or JOBD_SECRET_KEY_NEW_FILE),
rotate, and start the daemon with the new key. On a PostgreSQL database nothing
stops: first restart each node with both keys, one after the other, then rotate,
then restart each with the new key alone.
If a rotation is interrupted, run the command again. Earlier backups need the
previous key, which is removed: copy the file secret-key first.`,
    )
    .action(async (flags: Flags) => {
      const place = await enterPlace(flags, output);
      const { current, next } = place.keys;
      if (current !== null && next === null) throw noNextKey(current.name);
      await using local = await openStoreAt(place);
      // A key that is missing is missed before anything is locked.
      if (place.database !== null) await local.openVault();
      const { lockMasterKeyFor, masterKeysFor } = await import('../../serve/local-store.ts');
      using locks = new DisposableStack();
      locks.use(await lockMasterKeyFor(place, local, place.keys));
      await confirm(rotationQuestion(place), flags['yes'] === true);
      const { rotateMasterKey } = await import('../../app/secrets/master-keys.ts');
      const parts = { ...local, masterKeys: masterKeysFor(place, place.keys) };
      const rotation = await rotateMasterKey(parts);
      if (flags['json']) printJson(output, rotation);
      else output.data(rotation.keyId);
      const retired = rotation.retired.join(' and ');
      const backups = backupsOf(place);
      output.say(
        `earlier ${backups}s need the old master key ${retired}: keep a copy of it as long as you keep them, and make a new ${backups} now`,
      );
      if (!rotation.isErased) output.say(notErased(place, 'old'));
      if (next) output.say(`start jobd with the new key in ${next.name.replace('_NEW', '')}`);
    });
}

function addForgetCommand(secrets: Command, output: Output): void {
  secrets
    .command('forget')
    .argument('<key>', 'id of the lost master key; jobd prints it when it does not start')
    .description(
      'discard what a lost master key encrypted, so that jobd starts; the daemon must be stopped',
    )
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Example:
  jobd secrets forget 9f86d081884c7d65

Headers, bodies and channel configs are lost for good, even if you find the key
later. The command pauses the jobs, disables the channels and lists them: set
their headers, bodies and configs again. Earlier receipts stay valid; a new key
signs from now on. The command refuses while the key is available. If you use
JOBD_SECRET_KEY or JOBD_SECRET_KEY_FILE, set it for this command too.`,
    )
    .action((key: string, flags: Flags) => forget(key, flags, output));
}

async function forget(lostId: string, flags: Flags, output: Output): Promise<void> {
  const place = await enterPlace(flags, output);
  const { lockStopped, masterKeysFor } = await import('../../serve/local-store.ts');
  await using local = await openStoreAt(place);
  using locks = new DisposableStack();
  locks.use(await lockStopped(place, local));
  const { forgetLostKey, requireLostKey } = await import('../../app/secrets/lost-key.ts');
  const parts = { ...local, masterKeys: masterKeysFor(place, place.keys) };
  await requireLostKey(parts, lostId);
  const question = 'Discard for good everything that the lost master key encrypted?';
  await confirm(question, flags['yes'] === true);
  const forgotten = await forgetLostKey(parts, lostId);
  if (flags['json']) return printJson(output, forgotten);
  const { keyId, jobs, channels, signingKeyId, isErased } = forgotten;
  const rows = [
    ...jobs.map((job) => ({ kind: 'job', ...job })),
    ...channels.map((channel) => ({ kind: 'channel', ...channel })),
  ];
  printRows(output, rows, {
    kind: ({ kind }) => kind,
    id: ({ id }) => id,
    workspace: ({ workspace }) => workspace,
    name: ({ name }) => name,
  });
  output.say(
    `paused ${counted(jobs.length, 'job')} and disabled ${counted(channels.length, 'channel')}: set their headers, ` +
      `bodies and configs again, and back up the new master key ${keyId}`,
  );
  if (!isErased) output.say(notErased(place, 'lost'));
  if (signingKeyId !== null) output.say(`the key ${signingKeyId} signs receipts from now on`);
}

function rotationQuestion(place: EnteredPlace): string {
  const { next } = place.keys;
  const which = next === null ? 'a new master key' : `the master key in ${next.name}`;
  const removed =
    next === null ? 'The present key is removed from the data directory, but earlier' : 'Earlier';
  const backups = `${backupsOf(place)}s`;
  const needed = next === null ? 'need it' : 'need the present one';
  return `Encrypt all secrets with ${which}? ${removed} ${backups} ${needed}: keep a copy.`;
}

/** What people keep of a database. */
function backupsOf({ database }: EnteredPlace): string {
  return database === null ? 'backup' : 'dump';
}

function notErased({ database }: EnteredPlace, which: string): string {
  const values = `may still hold values that the ${which} key can decrypt`;
  return database === null
    ? `free space in the database ${values}: to erase them, stop jobd and run sqlite3 jobd.db vacuum`
    : `free space in the tables, and the write-ahead log of the server, ${values}: to erase those in the tables, stop jobd and run vacuum full in psql`;
}

function noNextKey(name: string): JobdError {
  return new JobdError('usage', `${name} is set: put the new key in JOBD_SECRET_KEY_NEW`);
}
