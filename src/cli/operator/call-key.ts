/** `jobd call-key`: the keys that sign calls; works while the daemon runs. */

import { Option } from 'commander';
import { callAlgorithms, callKeyState, keysCachedSeconds } from '../../domain/proof/call-key.ts';
import type { CallKey } from '../../domain/proof/call-key.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { moment } from '../terminal/cell.ts';
import { printJson } from '../terminal/output.ts';
import { printed, inIsoTimes, storeCommands, table, withYes } from './store-commands.ts';

export const addCallKeyCommands = storeCommands(
  'call-key',
  'show, export and rotate the keys that sign calls',
  {
    show: {
      about: 'list the keys: those that sign, are next, are still published, or were retired',
      examples: ['call-key show'],
      async run({ open }) {
        const { listCallKeys } = await import('../../app/proof/call-keys.ts');
        const local = await open();
        const keys = await listCallKeys(local);
        return table('keys', keys.map(shapeAt(local.clock.now())), {
          id: ({ keyId }) => keyId,
          algorithm: ({ algorithm }) => algorithm,
          state: ({ state }) => state,
          'signs from': ({ signsFrom }) => moment(signsFrom),
          'signs until': ({ retiredAt }) => moment(retiredAt),
          'published until': ({ publishedUntil }) => moment(publishedUntil),
        });
      },
    },
    export: {
      about: 'print the published keys as a JSON Web Key Set, as targets get it',
      options: (command) =>
        command
          .option('--all', 'print every key there ever was, to check requests that were saved')
          .option('--json', 'print one JSON document, which is the default'),
      examples: ['call-key export > keys.json'],
      async run({ open, flags }) {
        const { listCallKeys, publishedCallKeys } = await import('../../app/proof/call-keys.ts');
        const { callKeySet } = await import('../../app/proof/published.ts');
        const keys = await (flags['all'] ? listCallKeys : publishedCallKeys)(await open());
        return (_, output) => printJson(output, callKeySet(keys));
      },
    },
    rotate: {
      about: 'let new keys sign calls, from 10 minutes after they are published',
      options: (command) =>
        withYes(
          command
            .addOption(
              new Option('--algorithm <name>', 'only the key of this algorithm').choices([
                ...callAlgorithms,
              ]),
            )
            .option(
              '--now',
              'a key leaked: sign with new keys at once, and publish the old ones no more',
            ),
        ),
      examples: ['call-key rotate --yes', 'call-key rotate --now --yes'],
      async run({ open, flags, confirm }) {
        const isAtOnce = flags['now'] === true;
        const when = isAtOnce
          ? `from now on, although targets that keep the old keys refuse calls for up to ${keptMinutes} minutes`
          : 'in 10 minutes';
        await confirm(`Sign calls with new keys ${when}?`);
        const { listCallKeys, rotateCallKeys } = await import('../../app/proof/call-keys.ts');
        const algorithm = callAlgorithms.find((name) => name === flags['algorithm']) ?? null;
        const local = await open();
        const parts = { ...local, vault: await local.openVault() };
        const keys = await rotateCallKeys(parts, { algorithm, isAtOnce });
        const known = await listCallKeys(local);
        return printed({ keys: keys.map(shapeAt(local.clock.now())) }, (output) => {
          // Scripts read the ids.
          for (const { keyId } of keys) output.data(keyId);
          for (const key of keys) output.say(rotationOf(key, known, isAtOnce));
          if (isAtOnce) output.say(cachedKeys);
        });
      },
    },
  },
);

/** For how long targets may keep keys. */
const keptMinutes = keysCachedSeconds / 60;
const cachedKeys = `targets that keep the old keys refuse calls, and trust the old keys, until they ask for the new ones: up to ${keptMinutes} minutes`;

/** What a new key does, and what becomes of the one before it. */
function rotationOf(
  { keyId, algorithm, signsFrom }: CallKey,
  known: readonly CallKey[],
  isAtOnce: boolean,
): string {
  const name = `${algorithm} key ${keyId}`;
  if (isAtOnce)
    return `${name} signs from now on, ${isoTime(signsFrom)}; the ${algorithm} keys before it are published no more`;
  const before = known.find((key) => key.algorithm === algorithm && key.retiredAt === signsFrom);
  const until = isoTimeOrNull(before?.publishedUntil ?? null);
  return `${name} signs from ${isoTime(signsFrom)}; the key before it, ${before?.keyId}, is published until ${until}`;
}

function shapeAt(now: number) {
  return (key: CallKey) => ({
    ...inIsoTimes(key, ['createdAt', 'signsFrom', 'retiredAt', 'publishedUntil']),
    state: callKeyState(key, now),
  });
}
