/** `jobd key`: API keys, in the database; works while the daemon runs. */

import { defaultServerUrl, loginUrl, type Flags } from '../../settings/config.ts';
import { systemClock } from '../../domain/clock.ts';
import { unlessRefused } from '../../domain/errors.ts';
import type { Key } from '../../domain/accounts/key.ts';
import { findOne, nameAndId, searchAmong, type Named } from '../client/find.ts';
import { parseMoment, withWide } from '../options.ts';
import { idCell, moment } from '../terminal/cell.ts';
import { permissionOf, withPermission } from './permission.ts';
import { done, inIsoTimes, printed, storeCommands, table, withYes } from './store-commands.ts';

export const addKeyCommands = storeCommands('key', 'create, list and revoke API keys', {
  create: {
    about: 'create a key and print it; it is shown only once',
    options: (command) =>
      withPermission(command.option('--workspace <name>', 'workspace of the key', 'default'))
        .option('--name <label>', 'name for people', '')
        .option(
          '--expires <when>',
          'when it expires: a duration such as 30d, the next 22:00, or a date and time (default: never)',
        )
        .option(
          '--allow-duplicate',
          'create it although an active key of the workspace has this name',
        ),
    examples: [
      'key create --name laptop | jobd login',
      'key create --permission read --name audit --expires 30d',
    ],
    saysWhere: true,
    async run({ open, flags }) {
      const { workspace, name, expires } = flags as CreateFlags;
      const permission = permissionOf(flags);
      const now = systemClock.now();
      const expiresAt = expires === undefined ? null : await parseMoment(expires, '--expires', now);
      const local = await open();
      const { createKey } = await import('../../app/accounts/keys.ts');
      const allowDuplicate = flags['allowDuplicate'] === true;
      const made = await createKey(local, {
        workspace,
        permission,
        name,
        expiresAt,
        allowDuplicate,
      });
      const { siteUrlIn } = await import('../../app/operator/served.ts');
      const site = await siteUrlIn(local);
      return (_, output) => {
        const document = { ...shape(made.key), workspace, key: made.secret };
        printed(document, () => output.data(made.secret))(flags, output);
        if (output.isTerminal) output.say('Save this key now: it is not shown again.');
        if (site !== null && site !== usualUrl()) {
          output.say(`it is for ${site}: jobd login --url ${site}`);
        }
      };
    },
  },
  list: {
    about: 'list the keys of all workspaces, without their secrets',
    options: (command) => withWide(command).option('--all', 'list revoked keys too'),
    examples: ['key list', 'key list --all --json'],
    async run({ open, flags, output }) {
      const { listKeys } = await import('../../app/accounts/keys.ts');
      const isAll = flags['all'] === true;
      const all = await listKeys(await open());
      const keys = all.filter(({ revokedAt }) => isAll || revokedAt === null).map(shape);
      const none =
        all.length === 0 ? 'there are no keys' : 'all keys are revoked: --all lists them';
      return table(
        'keys',
        keys,
        {
          name: ({ name }) => name || null,
          workspace: ({ workspace }) => workspace,
          permission: ({ permission }) => permission,
          created: ({ createdAt }) => moment(createdAt),
          'last used': ({ lastUsedAt }) => moment(lastUsedAt),
          expires: ({ expiresAt }) => moment(expiresAt),
          // In a pipe a table always has the same columns.
          ...((isAll || !output.isTerminal) && {
            revoked: ({ revokedAt }: (typeof keys)[0]) => moment(revokedAt),
          }),
          id: ({ id }) => idCell(id),
        },
        { none, optional: ['created', 'last used', 'expires'] },
      );
    },
  },
  revoke: {
    about: 'revoke a key for good',
    words: [['<key>', 'name of the key, its id or the beginning of its id']],
    options: withYes,
    examples: ['key revoke laptop', 'key revoke 019a9b1c-0000 --yes'],
    async run({ open, confirm }, text = '') {
      const local = await open();
      const { listKeys, revokeKey } = await import('../../app/accounts/keys.ts');
      const found = await findActive(await listKeys(local), text);
      const named = nameAndId(found);
      await confirm(`Revoke key ${named} for good?`);
      await revokeKey(local, found.id);
      return done(`revoked ${named}`);
    },
  },
});

/** The server that commands ask without a profile; null if JOBD_URL is none, which is not the concern of a key. */
function usualUrl(): string | null {
  return unlessRefused(() => loginUrl() ?? defaultServerUrl) ?? null;
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
  const search = searchAmong(words, active.map(shape), (name) => withName(name).map(shape));
  return await findOne(search, text);
}

type CreateFlags = Flags & { workspace: string; name: string; expires?: string };
type ListedKey = Key & { workspace: string };

function shape<K extends Key>(key: K) {
  return inIsoTimes(key, ['createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt']);
}
