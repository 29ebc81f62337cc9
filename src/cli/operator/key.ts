/** `jobd key`: API keys, in the database; works while the daemon runs. */

import type { Command } from 'commander';
import { defaultServerUrl, loginUrl } from '../../config.ts';
import type { Flags } from '../../config.ts';
import { isoTimeOrNull, systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { Key } from '../../domain/accounts/key.ts';
import { moment } from '../terminal/cell.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { dataOption, databaseOption } from './place.ts';
import { permissionOf, withPermission } from './permission.ts';
import { parseMomentOrDuration } from '../options.ts';
import { printDone, printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';

type CreateFlags = Flags & {
  workspace: string;
  name: string;
  expires?: string;
  allowDuplicate?: true;
};

/** Adds the commands. */
export function addKeyCommands(program: Command, { output }: Context): void {
  const key = program.command('key').description('create, list and revoke API keys');
  addCreateCommand(key, output);
  addListCommand(key, output);
  addRevokeCommand(key, output);
}

function addCreateCommand(key: Command, output: Output): void {
  const command = key
    .command('create')
    .description('create a key and print it; it is shown only once')
    .option('--workspace <name>', 'workspace of the key', 'default');
  withPermission(command)
    .option('--name <label>', 'name for people', '')
    .option(
      '--expires <when>',
      'when it expires: a duration such as 30d, or ISO 8601 (default: never)',
    )
    .option('--allow-duplicate', 'create it although an active key of the workspace has this name')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  export JOBD_API_KEY=$(jobd key create --name laptop)
  jobd key create --permission read --name audit --expires 30d`,
    )
    .action(async (flags: CreateFlags) => {
      const { workspace, name, expires } = flags;
      const permission = permissionOf(flags);
      const now = systemClock.now();
      const expiresAt =
        expires === undefined ? null : parseMomentOrDuration(expires, '--expires', now);
      await using local = await openStoreFor(flags, output, { saysWhere: true });
      const { createKey } = await import('../../app/accounts/keys.ts');
      const allowDuplicate = flags.allowDuplicate === true;
      const input = { workspace, permission, name, expiresAt, allowDuplicate };
      const made = await createKey(local, input);
      if (flags['json']) printJson(output, { ...shape(made.key), workspace, key: made.secret });
      else output.data(made.secret);
      if (output.isTerminal) output.say('Save this key now: it is not shown again.');
      const { siteUrlIn } = await import('../../app/operator/served.ts');
      const site = await siteUrlIn(local);
      if (site !== null && site !== usualUrl()) {
        output.say(`it is for ${site}: jobd login --url ${site}`);
      }
    });
}

/** The server that commands ask without a profile; null if JOBD_URL is none, which is not the concern of a key. */
function usualUrl(): string | null {
  try {
    return loginUrl() ?? defaultServerUrl;
  } catch (error) {
    if (error instanceof JobdError) return null;
    throw error;
  }
}

function addListCommand(key: Command, output: Output): void {
  key
    .command('list')
    .description('list the keys of all workspaces, without their secrets')
    .option('--all', 'list revoked keys too')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExamples:\n  jobd key list\n  jobd key list --all --json')
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listKeys } = await import('../../app/accounts/keys.ts');
      const isAll = flags['all'] === true;
      const all = await listKeys(local);
      const keys = all.filter(({ revokedAt }) => isAll || revokedAt === null);
      const none =
        all.length === 0 ? 'there are no keys' : 'all keys are revoked: --all lists them';
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
          // In a pipe a table always has the same columns.
          ...((isAll || !output.isTerminal) && {
            revoked: ({ revokedAt }: Key) => moment(isoTimeOrNull(revokedAt)),
          }),
        },
        { none, optional: ['created', 'last used', 'expires'] },
      );
    });
}

function addRevokeCommand(key: Command, output: Output): void {
  key
    .command('revoke')
    .argument('<id>', 'id of the key; jobd key list shows it')
    .description('revoke a key for good')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      '\nExample:\n  jobd key revoke 019a9b1c-0000-7000-8000-000000000000 --yes',
    )
    .action(async (id: string, flags: Flags) => {
      if (!isId(id.toLowerCase())) {
        throw new JobdError('usage', 'keys are revoked by id: jobd key list shows it');
      }
      await confirm(`Revoke key ${id} for good?`, flags['yes'] === true);
      await using local = await openStoreFor(flags, output);
      const { revokeKey } = await import('../../app/accounts/keys.ts');
      await revokeKey(local, id);
      printDone(output, flags, `revoked ${id}`);
    });
}

/** A key as JSON, with ISO 8601 times. */
function shape<K extends Key>(key: K) {
  return {
    ...key,
    createdAt: isoTimeOrNull(key.createdAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
    expiresAt: isoTimeOrNull(key.expiresAt),
    revokedAt: isoTimeOrNull(key.revokedAt),
  };
}
