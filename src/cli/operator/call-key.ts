/** `jobd call-key`: the keys that sign calls; works while the daemon runs. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { callAlgorithms, callKeyState, keysCachedSeconds } from '../../domain/calls/call-key.ts';
import type { CallKey } from '../../domain/calls/call-key.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import type { Context } from '../context.ts';
import { moment } from '../terminal/cell.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { confirm } from '../terminal/prompt.ts';
import { openStoreFor } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';

/** Adds the commands. */
export function addCallKeyCommands(program: Command, { output }: Context): void {
  const callKey = program
    .command('call-key')
    .description('show, export and rotate the keys that sign calls');
  addShowCommand(callKey, output);
  addExportCommand(callKey, output);
  addRotateCommand(callKey, output);
}

function addShowCommand(callKey: Command, output: Output): void {
  callKey
    .command('show')
    .description('list the keys: those that sign, are next, are still published, or were retired')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText('after', '\nExample:\n  jobd call-key show')
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listCallKeys } = await import('../../app/calls/call-keys.ts');
      const keys = await listCallKeys(local);
      const now = local.clock.now();
      if (flags['json']) return printJson(output, { keys: keys.map((key) => shape(key, now)) });
      printRows(output, keys, {
        id: ({ keyId }) => keyId,
        algorithm: ({ algorithm }) => algorithm,
        state: (key) => callKeyState(key, now),
        'signs from': ({ signsFrom }) => moment(isoTime(signsFrom)),
        'signs until': ({ retiredAt }) => moment(isoTimeOrNull(retiredAt)),
        'published until': ({ publishedUntil }) => moment(isoTimeOrNull(publishedUntil)),
      });
    });
}

function addExportCommand(callKey: Command, output: Output): void {
  callKey
    .command('export')
    .description('print the published keys as a JSON Web Key Set, as targets get it')
    .option('--all', 'print every key there ever was, to check requests that were saved')
    .addOption(dataOption)
    .addOption(databaseOption)
    .option('--json', 'print one JSON document, which is the default')
    .addHelpText(
      'after',
      `
Example:
  jobd call-key export > keys.json
  jobd verify-call request.txt --keys keys.json`,
    )
    .action(async (flags: Flags) => {
      await using local = await openStoreFor(flags, output);
      const { listCallKeys, publishedCallKeys } = await import('../../app/calls/call-keys.ts');
      const { callKeySet } = await import('../../app/calls/published.ts');
      const list = flags['all'] ? listCallKeys : publishedCallKeys;
      printJson(output, callKeySet(await list(local)));
    });
}

function addRotateCommand(callKey: Command, output: Output): void {
  callKey
    .command('rotate')
    .description('let new keys sign calls, from 10 minutes after they are published')
    .addOption(
      callKey
        .createOption('--algorithm <name>', 'only the key of this algorithm')
        .choices([...callAlgorithms]),
    )
    .option('--now', 'a key leaked: sign with new keys at once, and publish the old ones no more')
    .option('--yes', 'do not ask')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      '\nExamples:\n  jobd call-key rotate --yes\n  jobd call-key rotate --now --yes',
    )
    .action(async (flags: Flags) => {
      const isAtOnce = flags['now'] === true;
      const when = isAtOnce
        ? `from now on, although targets that keep the old keys refuse calls for up to ${keptMinutes} minutes`
        : 'in 10 minutes';
      await confirm(`Sign calls with new keys ${when}?`, flags['yes'] === true);
      await using local = await openStoreFor(flags, output);
      const { listCallKeys, rotateCallKeys } = await import('../../app/calls/call-keys.ts');
      const algorithm = callAlgorithms.find((name) => name === flags['algorithm']) ?? null;
      const parts = { ...local, vault: await local.openVault() };
      const keys = await rotateCallKeys(parts, { algorithm, isAtOnce });
      const now = local.clock.now();
      if (flags['json']) return printJson(output, { keys: keys.map((key) => shape(key, now)) });
      // Scripts read the ids.
      for (const { keyId } of keys) output.data(keyId);
      const known = await listCallKeys(local);
      for (const key of keys) output.say(rotationOf(key, known, isAtOnce));
      if (isAtOnce) output.say(cachedKeys);
    });
}

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

/** A key as JSON, with ISO 8601 times. */
function shape(key: CallKey, now: number) {
  return {
    ...key,
    createdAt: isoTime(key.createdAt),
    signsFrom: isoTime(key.signsFrom),
    retiredAt: isoTimeOrNull(key.retiredAt),
    publishedUntil: isoTimeOrNull(key.publishedUntil),
    state: callKeyState(key, now),
  };
}
