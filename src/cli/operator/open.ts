/** `jobd open`: a link that signs a browser in, for whoever may open the data directory. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { isThisMachine } from '../../domain/client-address.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Local } from '../../serve/local-store.ts';
import type { Context } from '../context.ts';
import { parseDuration, withoutPassword } from '../../settings/setting.ts';
import { printJson, type Output } from '../terminal/output.ts';
import { enterPlace, openStoreAt, type EnteredPlace } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { permissionOf, withPermission } from './permission.ts';

type OpenFlags = Flags & { workspace: string; valid: string };

/** Adds the command. */
export function addOpenCommand(program: Command, { output }: Context): void {
  const command = program
    .command('open')
    .description('print a link that signs a browser in, once; jobd serve must be running')
    .option('--workspace <name>', 'workspace to sign in to', 'default');
  withPermission(command, ', which includes keys')
    .option('--valid <duration>', 'how long the link works, at most 24h', '10m')
    .addOption(dataOption)
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
Examples:
  jobd open
  sudo jobd open --workspace staging
  jobd open --permission read --valid 1h

Whoever opens the link first is signed in. Send it to nobody else.`,
    )
    .action((flags: OpenFlags) => open(flags, output));
}

async function open(flags: OpenFlags, output: Output): Promise<void> {
  const { workspace } = flags;
  const permission = permissionOf(flags);
  const validMs = parseDuration(flags.valid, '--valid') * 1_000;
  const place = await enterPlace(flags, output);
  await using local = await openStoreAt(place);
  await requireDaemon(place, local.store.db);
  const { createSignInLink } = await import('../../app/accounts/sign-in.ts');
  const isOwner = permission === 'write';
  const { url, expiresAt } = await createSignInLink(local, {
    workspace,
    permission,
    isOwner,
    validMs,
  });
  const until = isoTime(expiresAt);
  if (flags['json']) printJson(output, { url, workspace, permission, isOwner, expiresAt: until });
  else output.data(url);
  output.say(`Open this link in a browser. It works once, until ${until}.`);
  const tunnel = tunnelTo(new URL(url));
  if (tunnel === null) return;
  output.say('It is for this machine: jobd serve --base-url URL sets the address that others use.');
  output.say(`From another machine, first run there: ${tunnel}`);
}

/** A link to a server that does not run would be useless. Throws `unreachable`. */
async function requireDaemon(place: EnteredPlace, db: Local['store']['db']): Promise<void> {
  const { whoServes } = await import('../../app/operator/served.ts');
  if ((await whoServes(place, db)) !== null) return;
  const { dataDir, database } = place;
  const sentence =
    database === null
      ? `no jobd serve uses ${dataDir}: start it, or name the data directory of the one that runs with --data`
      : `no jobd serve uses ${withoutPassword(database)}: start it`;
  throw new JobdError('unreachable', sentence);
}

/** The ssh command that makes an address of this machine work on another one; null if it works there anyway. */
function tunnelTo({ hostname, port, protocol }: URL): string | null {
  if (!isThisMachine(hostname)) return null;
  const number = port || (protocol === 'https:' ? '443' : '80');
  return `ssh -N -L ${number}:${hostname}:${number} user@server`;
}
