/** `jobd key`: API keys, kept in the store; works while the daemon runs. */

import type { Command } from 'commander';
import type { Flags } from '../../config.ts';
import { isoTimeOrNull, systemClock } from '../../domain/clock.ts';
import { invalidInput } from '../../domain/errors.ts';
import { permissions } from '../../domain/accounts/key.ts';
import type { Key, Permission } from '../../domain/accounts/key.ts';
import { moment } from '../terminal/cell.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { parseMomentOrDuration } from '../options/moment.ts';
import { printJson, printRows } from '../terminal/output.ts';

type CreateFlags = Flags & {
  workspace: string;
  permission: string;
  name: string;
  expires?: string;
};

/** Adds the commands. */
export function addKeyCommands(program: Command, { output }: Context): void {
  const key = program.command('key').description('make, list and revoke API keys');

  key
    .command('create')
    .description('make a key and print it, once')
    .option('--workspace <name>', 'the workspace it is for', 'default')
    .option('--permission <permission>', 'read or write', 'write')
    .option('--name <label>', 'what it is for', '')
    .option(
      '--expires <when>',
      'valid until then: a duration such as 30d, or ISO 8601 (default: no end)',
    )
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  export JOBD_API_KEY=$(jobd key create --name laptop)\n  jobd key create --permission read --name audit --expires 30d',
    )
    .action(async (flags: CreateFlags) => {
      const { workspace, name, expires } = flags;
      const permission = permissionOf(flags.permission);
      const now = systemClock.now();
      const expiresAt =
        expires === undefined ? null : parseMomentOrDuration(expires, '--expires', now);
      await using local = await openStoreFor(flags, output);
      const { createKey } = await import('../../app/accounts/keys.ts');
      const made = await createKey(local, { workspace, permission, name, expiresAt });
      if (flags['json']) printJson(output, { ...shape(made.key), workspace, key: made.secret });
      else output.data(made.secret);
      if (output.isTerminal) output.say('Keep it: it is shown only now.');
    });

  key
    .command('list')
    .description('list all keys, never the keys themselves')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd key list --json')
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listKeys } = await import('../../app/accounts/keys.ts');
      const keys = await listKeys(local);
      if (flags['json']) return printJson(output, { keys: keys.map(shape) });
      printRows(
        output,
        keys,
        {
          id: ({ id }) => id,
          name: ({ name }) => name,
          workspace: ({ workspace }) => workspace,
          permission: ({ permission }) => permission,
          created: ({ createdAt }) => moment(isoTimeOrNull(createdAt)),
          'last used': ({ lastUsedAt }) => moment(isoTimeOrNull(lastUsedAt)),
          expires: ({ expiresAt }) => moment(isoTimeOrNull(expiresAt)),
          revoked: ({ revokedAt }) => moment(isoTimeOrNull(revokedAt)),
        },
        { none: 'there are no keys', optional: ['created', 'last used', 'expires'] },
      );
    });

  key
    .command('revoke')
    .argument('<id>', 'id of the key, as jobd key list shows it')
    .description('revoke a key for good')
    .option('--yes', 'do not ask')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  jobd key revoke 019a9b1c-0000-7000-8000-000000000000 --yes',
    )
    .action(async (id: string, flags: Flags) => {
      await confirm(`Revoke key ${id} for good?`, flags['yes'] === true);
      await using local = await openStoreFor(flags, output);
      const { revokeKey } = await import('../../app/accounts/keys.ts');
      await revokeKey(local, id);
      if (flags['json']) printJson(output, { ok: true });
      else output.say(`revoked ${id}`);
    });
}

function permissionOf(text: string): Permission {
  const permission = permissions.find((known) => known === text);
  if (permission !== undefined) return permission;
  throw invalidInput(`--permission must be read or write, got ${text}`);
}

/** A key as JSON shows it: times as ISO 8601. */
function shape<K extends Key>(key: K) {
  return {
    ...key,
    createdAt: isoTimeOrNull(key.createdAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
    expiresAt: isoTimeOrNull(key.expiresAt),
    revokedAt: isoTimeOrNull(key.revokedAt),
  };
}
