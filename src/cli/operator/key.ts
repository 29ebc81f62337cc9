/** `jobd key`: API keys, in the database; works while the daemon runs. */

import type { Command } from 'commander';
import { defaultServerUrl, loginUrl } from '../../settings/config.ts';
import type { Flags } from '../../settings/config.ts';
import { isoTime, isoTimeOrNull, systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Key } from '../../domain/accounts/key.ts';
import { findOne, nameAndId, searchAmong } from '../client/find.ts';
import type { Named } from '../client/find.ts';
import { idCell, moment } from '../terminal/cell.ts';
import { confirm } from '../terminal/prompt.ts';
import type { Context } from '../context.ts';
import { openStoreFor } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { permissionOf, withPermission } from './permission.ts';
import { isWide, parseMomentOrDuration, withWide } from '../options.ts';
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
  withWide(key.command('list'))
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
          name: ({ name }) => name || null,
          workspace: ({ workspace }) => workspace,
          permission: ({ permission }) => permission,
          created: ({ createdAt }) => moment(isoTimeOrNull(createdAt)),
          'last used': ({ lastUsedAt }) => moment(isoTimeOrNull(lastUsedAt)),
          expires: ({ expiresAt }) => moment(isoTimeOrNull(expiresAt)),
          // In a pipe a table always has the same columns.
          ...((isAll || !output.isTerminal) && {
            revoked: ({ revokedAt }: Key) => moment(isoTimeOrNull(revokedAt)),
          }),
          id: ({ id }) => idCell(id),
        },
        { none, optional: ['created', 'last used', 'expires'], isWide: isWide(flags) },
      );
    });
}

function addRevokeCommand(key: Command, output: Output): void {
  key
    .command('revoke')
    .argument('<key>', 'name of the key, its id or the beginning of its id')
    .description('revoke a key for good')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      '\nExamples:\n  jobd key revoke laptop\n  jobd key revoke 019a9b1c-0000 --yes',
    )
    .action(async (text: string, flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listKeys, revokeKey } = await import('../../app/accounts/keys.ts');
      const found = await findActive(await listKeys(local), text);
      const named = nameAndId(found);
      await confirm(`Revoke key ${named} for good?`, flags['yes'] === true);
      await revokeKey(local, found.id);
      printDone(output, flags, `revoked ${named}`);
    });
}

/** The key that a person means. The name of an expired key may have been given to another one: that is meant first. */
async function findActive(all: readonly ListedKey[], text: string): Promise<Named> {
  const now = systemClock.now();
  const active = all.filter(({ revokedAt }) => revokedAt === null);
  const withName = (name: string): ListedKey[] => {
    const named = active.filter((key) => key.name === name);
    const live = named.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    return live.length > 0 ? live : named;
  };
  const words = { noun: 'active key', list: 'key list' };
  const search = searchAmong(words, active.map(namedOf), (name) => withName(name).map(namedOf));
  return await findOne(search, text);
}

function namedOf({ createdAt, ...key }: ListedKey): Named {
  return { ...key, createdAt: isoTime(createdAt) };
}

type ListedKey = Key & { workspace: string };

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
