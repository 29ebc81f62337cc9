/** `jobd secrets`: the master key that seals what nobody may read in the store. */

import type { Command } from 'commander';
import { dataDir, secretKeys } from '../config.ts';
import type { Flags } from '../config.ts';
import { JobdError } from '../domain/errors.ts';
import { confirm } from './confirm.ts';
import type { Context } from './context.ts';
import { openStoreFor } from './local.ts';
import { printJson } from './output.ts';

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
        '\nA key that is in the environment is taken from JOBD_SECRET_KEY, and the one to change to from\n' +
        'JOBD_SECRET_KEY_NEW; the daemon must be stopped then, and started with the new one. A rotation\n' +
        'that broke off is gone on with by the same command.',
    )
    .action(async (flags: Flags) => {
      await confirm('Seal all secrets anew with another master key?', flags['yes'] === true);
      const directory = dataDir(flags);
      const keys = secretKeys();
      if (keys.current !== null && keys.next === null) throw noNextKey();
      await using local = await openStoreFor(flags, output);
      const { lockMasterKeyFor, masterKeysFor } = await import('../daemon.ts');
      using locks = new DisposableStack();
      locks.use(lockMasterKeyFor(directory, keys));
      const { rotateMasterKey } = await import('../app/master-keys.ts');
      const parts = { ...local, masterKeys: masterKeysFor(directory, keys) };
      const rotation = await rotateMasterKey(parts);
      if (flags['json']) printJson(output, rotation);
      else output.data(rotation.keyId);
      for (const row of rotation.unreadable) {
        output.say(`${row} could not be opened, it was damaged before, and is left as it is`);
      }
      if (keys.next !== null) output.say('start jobd with the new key as JOBD_SECRET_KEY');
    });
}

function noNextKey(): JobdError {
  return new JobdError(
    'usage',
    'JOBD_SECRET_KEY is set: put the key to change to into JOBD_SECRET_KEY_NEW',
  );
}
