/** `jobd signing-key`: the key that signs receipts; works while the daemon runs. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import type { SigningKeyRecord } from '../../app/receipts/signing-keys.ts';
import { moment } from '../terminal/cell.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';

/** Adds the commands. */
export function addSigningKeyCommands(program: Command, { output }: Context): void {
  const signingKey = program
    .command('signing-key')
    .description('show, export and rotate the key that signs receipts');
  addShowCommand(signingKey, output);
  addExportCommand(signingKey, output);
  addRotateCommand(signingKey, output);
}

function addShowCommand(signingKey: Command, output: Output): void {
  signingKey
    .command('show')
    .description('list the current signing key and the retired ones')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExample:\n  jobd signing-key show')
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listSigningKeys } = await import('../../app/receipts/signing-keys.ts');
      const keys = await listSigningKeys(local);
      if (flags['json']) return printJson(output, { keys: keys.map(shape) });
      printRows(output, keys, {
        id: ({ keyId }) => keyId,
        created: ({ createdAt }) => moment(isoTime(createdAt)),
        retired: ({ retiredAt }) => moment(isoTimeOrNull(retiredAt)),
      });
    });
}

function addExportCommand(signingKey: Command, output: Output): void {
  signingKey
    .command('export')
    .description('print the public key, for people who check receipts to archive')
    .option('--all', 'print every key, as a JSON Web Key Set')
    .option('--pem', 'print the key as PEM')
    .addOption(dataOption)
    .addOption(databaseOption)
    .option('--json', 'print one JSON document, which is the default')
    .addHelpText(
      'after',
      `
Examples:
  jobd signing-key export > key.json
  jobd signing-key export --all > keys.json
  jobd verify receipt.json key.json`,
    )
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { activeSigningKey, listSigningKeys } =
        await import('../../app/receipts/signing-keys.ts');
      const { keyDocument, keySet } = await import('../../receipt/key.ts');
      if (flags['all']) return printJson(output, keySet(await listSigningKeys(local)));
      const document = keyDocument(await activeSigningKey(local));
      if (flags['pem']) return output.data(document.pem.trimEnd());
      printJson(output, document);
    });
}

function addRotateCommand(signingKey: Command, output: Output): void {
  signingKey
    .command('rotate')
    .description('sign with a new key from now on; old receipts stay valid')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExample:\n  jobd signing-key rotate --yes')
    .action(async (flags: Flags) => {
      await confirm('Sign receipts with a new key from now on?', flags['yes'] === true);
      await using local = await openStoreFor(flags, output);
      const { rotateSigningKey } = await import('../../app/receipts/signing-keys.ts');
      const key = await rotateSigningKey({ ...local, vault: await local.openVault() });
      if (flags['json']) return printJson(output, shape(key));
      output.data(key.keyId);
      if (output.isTerminal)
        output.say('People who check receipts need the new key: jobd signing-key export');
    });
}

/** A key as JSON, with ISO 8601 times. */
function shape(key: SigningKeyRecord) {
  return { ...key, createdAt: isoTime(key.createdAt), retiredAt: isoTimeOrNull(key.retiredAt) };
}
