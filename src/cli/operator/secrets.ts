/** `jobd secrets`: the master key that seals what nobody may read in the store. */

import type { Command } from 'commander';
import { secretKeys } from '../../config.ts';
import type { Flags } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { counted } from '../terminal/counted.ts';
import { enterDataDir, openStoreFor } from './local.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';

/** Adds the commands. */
export function addSecretsCommands(program: Command, { output }: Context): void {
  const secrets = program
    .command('secrets')
    .description('the master key, which seals header values, bodies and the signing key');

  secrets
    .command('rotate')
    .description('seal everything anew with another master key; works while the daemon runs')
    .option('--yes', 'do not ask')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd secrets rotate --yes\n' +
        '  JOBD_SECRET_KEY_NEW=$(openssl rand -base64 32) jobd secrets rotate --yes\n' +
        '\nA key that is in the environment is taken from JOBD_SECRET_KEY, and the one to\n' +
        'change to from JOBD_SECRET_KEY_NEW; the daemon must be stopped then, and started\n' +
        'with the new one. A rotation that broke off is gone on with by the same command.',
    )
    .action(async (flags: Flags) => {
      await confirm('Seal all secrets anew with another master key?', flags['yes'] === true);
      const { path: directory } = enterDataDir(flags);
      const keys = secretKeys();
      if (keys.current !== null && keys.next === null) throw noNextKey();
      await using local = await openStoreFor(flags, output);
      const { lockMasterKeyFor, masterKeysFor } = await import('../../local-store.ts');
      using locks = new DisposableStack();
      locks.use(lockMasterKeyFor(directory, keys));
      const { rotateMasterKey } = await import('../../app/secrets/master-keys.ts');
      const parts = { ...local, masterKeys: masterKeysFor(directory, keys) };
      const rotation = await rotateMasterKey(parts);
      if (flags['json']) printJson(output, rotation);
      else output.data(rotation.keyId);
      const retired = rotation.retired.join(' and ');
      output.say(
        `backups made before need the old master key ${retired}: keep your copy of it as long as them, and make a backup now`,
      );
      if (!rotation.isErased) output.say(notErased('old'));
      if (keys.next !== null) output.say('start jobd with the new key as JOBD_SECRET_KEY');
    });

  secrets
    .command('forget')
    .argument('<key>', 'id of the lost master key, as jobd names it when it does not start')
    .description(
      'give up what a lost master key sealed, so that jobd starts again; the daemon must be stopped',
    )
    .option('--yes', 'do not ask')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n' +
        '  jobd secrets forget 9f86d081884c7d65\n' +
        '\nHeader values, bodies and configs of channels are gone for good, even if the\n' +
        'key is found. The jobs are paused and the channels disabled, and listed: set\n' +
        'their headers, bodies and configs anew. Receipts of before can be checked as\n' +
        'before; another key signs from now on. It refuses while the key is there: in the\n' +
        'file, or in JOBD_SECRET_KEY, which must be given to this command, too, where it\n' +
        'is used.',
    )
    .action((key: string, flags: Flags) => forget(key, flags, output));
}

async function forget(lostId: string, flags: Flags, output: Output): Promise<void> {
  const { path: directory } = enterDataDir(flags);
  const { hasStore, lockStopped, masterKeysFor } = await import('../../local-store.ts');
  if (!hasStore(directory)) throw new JobdError('not_found', `there is no store in ${directory}`);
  await using local = await openStoreFor(flags, output);
  using locks = new DisposableStack();
  locks.use(lockStopped(directory));
  const { forgetLostKey, requireLostKey } = await import('../../app/secrets/lost-key.ts');
  const parts = { ...local, masterKeys: masterKeysFor(directory, secretKeys()) };
  await requireLostKey(parts, lostId);
  const question = 'Give up all that the lost master key sealed, for good, even if it is found?';
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
    `${counted(jobs.length, 'job')} paused and ${counted(channels.length, 'channel')} disabled: set headers, bodies and configs ` +
      `anew. Back the new master key ${keyId} up.`,
  );
  if (!isErased) output.say(notErased('lost'));
  if (signingKeyId !== null)
    output.say(`receipts are signed with the key ${signingKeyId} from now on`);
}

function notErased(which: string): string {
  return (
    `free space in the database may still hold values that the ${which} key opens: to be rid of them, ` +
    'stop jobd and run sqlite3 jobd.db vacuum'
  );
}

function noNextKey(): JobdError {
  return new JobdError(
    'usage',
    'JOBD_SECRET_KEY is set: put the key to change to into JOBD_SECRET_KEY_NEW',
  );
}
