/** `jobd upgrade`: replaces this executable by a newer one, and goes back by itself if that does not come up. */

import { realpathSync } from 'node:fs';
import { isSea } from 'node:sea';
import type { Command } from 'commander';
import { databaseUrl, defaultServerUrl, environmentVariable } from '../../settings/config.ts';
import type { Flags } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import { durationOf } from '../../domain/durations.ts';
import { checkedSeconds, withoutPassword } from '../../settings/setting.ts';
import { requireUnpackaged } from './packaged.ts';
import type { Supervisor } from './supervisor.ts';
import type { Upgraded } from './upgrade.ts';
import type { Context } from '../../cli/context.ts';
import { printJson, type Output } from '../../cli/terminal/output.ts';
import { parseSeconds } from '../../cli/options.ts';
import { libpqUrl } from '../../cli/operator/libpq-url.ts';
import { chooseDataDir, databaseOfService } from '../../cli/operator/local.ts';
import { dataOption, databaseOption } from '../../cli/operator/place-options.ts';
import { isRoot, rootsOwnName } from '../../cli/operator/roots-files.ts';
import { findService, findServiceUrl, serviceFiles } from '../../cli/operator/service.ts';

/** How long the new version may take until it is ready, which allows for changed tables. */
const defaultWaitSeconds = 120;

/** Adds the command. */
export function addUpgradeCommand(program: Command, { output }: Context): void {
  program
    .command('upgrade')
    .description('replace jobd by a newer version, or go back by itself')
    .requiredOption('--from <file|url>', 'the new executable, or the same as .gz')
    .option('--sha256 <hex>', 'its SHA-256, instead of SHA256SUMS beside it')
    .option('--public-key <file>', 'Ed25519 key (PEM) that must have signed SHA256SUMS')
    .option('--allow-older', 'also replace jobd by an older version')
    .option('--executable <file>', 'the executable to replace (default this one)')
    .addOption(dataOption)
    .addOption(databaseOption)
    .option('--dumped', 'go on with a database on a server, of which you have a dump')
    .option('--url <url>', 'where jobd answers (default where it says, else the port 8080)')
    .option('--restart-command <command>', 'restarts jobd, where there is no systemd')
    .option('--stop-command <command>', 'stops jobd, before a way back (default SIGTERM)')
    .option('--no-restart', 'replace the executable only')
    .option(
      '--wait <duration>',
      `how long the new version may take to be ready (default ${durationOf(defaultWaitSeconds)})`,
    )
    .addHelpText(
      'after',
      `
Examples:
  sudo jobd upgrade --from https://example.com/jobd/0.2.0/jobd-linux-x64.gz
  sudo jobd upgrade --from ./jobd-linux-x64 --public-key release-key.pem
  jobd upgrade --from ./jobd-linux-x64 --restart-command 'service jobd restart'

It checks the new executable, lets it try a copy of the data (jobd self-test),
puts it in place, restarts jobd and waits until it is ready. If it does not come
up, the previous executable is put back, and the database too if its tables were
changed. The exit code is 0 only if the new version runs.`,
    )
    .action(async (flags: Flags) => {
      const say = (sentence: string): void => output.say(sentence);
      const executable = executableOf(flags);
      requireUnpackaged(executable);
      const place = await placeOf(flags);
      const supervisor = await supervisorOf(flags, place.dataDir ?? '');
      const { upgrade } = await import('./upgrade.ts');
      const made = await upgrade({
        source: {
          from: textIn(flags, 'from') ?? '',
          sha256: textIn(flags, 'sha256'),
          publicKey:
            textIn(flags, 'publicKey') ?? (environmentVariable('JOBD_UPGRADE_PUBLIC_KEY') || null),
        },
        mayBeOlder: flags['allowOlder'] === true,
        executable,
        dataDir: place.dataDir,
        supervisor,
        url: await urlOf(flags, place.dataDir),
        waitMs: waitMsOf(flags),
        say,
      });
      if (flags['json']) return printJson(output, made);
      report(output, made, supervisor !== null);
    });
}

function textIn(flags: Flags, name: string): string | null {
  const value = flags[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The data directory; null for a database on a server. Throws `conflict` if that was not dumped. */
async function placeOf(flags: Flags): Promise<{ dataDir: string | null }> {
  const database = databaseOfService(flags)?.database ?? databaseUrl(flags);
  if (database === null) return { dataDir: (await chooseDataDir(flags)).path };
  if (flags['dumped'] === true) return { dataDir: null };
  const url = libpqUrl(withoutPassword(database));
  const sentence = 'the database is on a server, so jobd makes no copy to go back to';
  const dump = `dump it first: pg_dump --format=custom --file=jobd-before.dump '${url}'`;
  throw new JobdError('conflict', sentence, { notes: [dump, 'then add --dumped'] });
}

/** The program that this process runs, where links to it lead. Throws `usage` if it runs from its sources, `unavailable` if root must not run it. */
function executableOf(flags: Flags): string {
  const named = textIn(flags, 'executable');
  if (named === null && !isSea()) {
    throw new JobdError('usage', 'this jobd is not one executable: name it with --executable FILE');
  }
  const found = realpathSync(named ?? process.execPath);
  // What root runs by itself, unlike this program, nobody else may change.
  if (named === null || !isRoot() || rootsOwnName(found) !== null) return found;
  const sentence = `other users can change ${found}, so root does not run it`;
  throw new JobdError('unavailable', `${sentence}: upgrade it as its owner`);
}

/** Who restarts jobd; null if nobody is to, or knows how. */
async function supervisorOf(flags: Flags, dataDir: string): Promise<Supervisor | null> {
  if (flags['restart'] === false) return null;
  const { commandSupervisor, hasSystemd, systemdSupervisor } = await import('./supervisor.ts');
  const command = textIn(flags, 'restartCommand');
  if (command !== null) return commandSupervisor(dataDir, command, textIn(flags, 'stopCommand'));
  const hasService = hasSystemd() && findService() !== null;
  return hasService ? systemdSupervisor() : null;
}

async function urlOf(flags: Flags, dataDir: string | null): Promise<string> {
  const { servedUrl } = await import('./supervisor.ts');
  const served = dataDir === null ? null : servedUrl(dataDir);
  const found = served ?? findServiceUrl(serviceFiles, true) ?? defaultServerUrl;
  return (textIn(flags, 'url') ?? found).replace(/(?<!\/)\/+$/, '');
}

function waitMsOf(flags: Flags): number {
  const seconds = parseSeconds(textIn(flags, 'wait') ?? `${defaultWaitSeconds}`, '--wait');
  return checkedSeconds(seconds, '--wait', { min: 1, max: 86_400 }) * 1_000;
}

function report(output: Output, made: Upgraded, wasToRestart: boolean): void {
  const { from, to, isServing, kept, previous } = made;
  if (isServing) {
    output.data(`upgraded from jobd ${from} to ${to}, which is ready`);
    if (kept === null) return;
    return output.say(`its tables were changed; the database of before is ${kept}`);
  }
  output.data(`replaced jobd ${from} by ${to}`);
  if (wasToRestart) return output.say('jobd does not run: start it to use the new version');
  output.say(`restart jobd to use it; to go back before that: mv ${previous} to its place`);
}
