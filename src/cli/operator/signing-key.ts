/** `jobd signing-key`: the key that signs receipts; works while the daemon runs. */

import type { SigningKeyRecord } from '../../app/proof/signing-keys.ts';
import { moment } from '../terminal/cell.ts';
import { printJson } from '../terminal/output.ts';
import { printed, inIsoTimes, storeCommands, table, withYes } from './store-commands.ts';

export const addSigningKeyCommands = storeCommands(
  'signing-key',
  'show, export and rotate the key that signs receipts',
  {
    show: {
      about: 'list the current signing key and the retired ones',
      examples: ['signing-key show'],
      async run({ open }) {
        const { listSigningKeys } = await import('../../app/proof/signing-keys.ts');
        return table('keys', (await listSigningKeys(await open())).map(shape), {
          id: ({ keyId }) => keyId,
          created: ({ createdAt }) => moment(createdAt),
          retired: ({ retiredAt }) => moment(retiredAt),
        });
      },
    },
    export: {
      about: 'print the public key, for people who check receipts to archive',
      saysWhere: true,
      options: (command) =>
        command
          .option('--all', 'print every key, as a JSON Web Key Set')
          .option('--pem', 'print the key as PEM')
          .option('--json', 'print one JSON document, which is the default'),
      examples: [
        'signing-key export > key.json',
        'signing-key export --all > keys.json',
        'verify receipt.json key.json',
      ],
      async run({ open, flags }) {
        const { activeSigningKey, listSigningKeys } =
          await import('../../app/proof/signing-keys.ts');
        const { keyDocument, keySet } = await import('../../receipt/key.ts');
        const local = await open();
        if (flags['all']) {
          const keys = keySet(await listSigningKeys(local));
          return (_, output) => printJson(output, keys);
        }
        const document = keyDocument(await activeSigningKey(local));
        const pem = document.pem.trimEnd();
        return (_, output) => (flags['pem'] ? output.data(pem) : printJson(output, document));
      },
    },
    rotate: {
      about: 'sign with a new key from now on; old receipts stay valid',
      options: withYes,
      examples: ['signing-key rotate --yes'],
      async run({ open, confirm }) {
        await confirm('Sign receipts with a new key from now on?');
        const { rotateSigningKey } = await import('../../app/proof/signing-keys.ts');
        const local = await open();
        const key = await rotateSigningKey({ ...local, vault: await local.openVault() });
        return printed(shape(key), (output) => {
          output.data(key.keyId);
          if (output.isTerminal)
            output.say('People who check receipts need the new key: jobd signing-key export');
        });
      },
    },
  },
);

function shape(key: SigningKeyRecord) {
  return inIsoTimes(key, ['createdAt', 'retiredAt']);
}
