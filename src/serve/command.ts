/** `jobd serve`: the daemon. */

import type { Command } from 'commander';
import {
  isFoundByItself,
  defaultServerUrl,
  isEveryAddress,
  journalStream,
  noColor,
  serveConfig,
  variableNames,
} from '../settings/config.ts';
import type { Flags, ServeConfig } from '../settings/config.ts';
import type { Daemon } from './daemon.ts';
import { isJournal } from '../base/journal.ts';
import { withoutPassword } from '../settings/setting.ts';
import { unknownVariables } from '../settings/variables.ts';
import type { Log } from '../base/log.ts';
import { counted } from '../domain/counted.ts';
import type { Context } from '../cli/context.ts';
import { actAsOwner } from '../cli/operator/owner.ts';
import type { Output } from '../cli/terminal/output.ts';
import { programName } from '../cli/operator/program-name.ts';
import { tellManager } from '../cli/operator/service-manager.ts';
import { withServeFlags } from '../cli/operator/serve-flags.ts';
import { startWaiting } from '../cli/operator/start-waiting.ts';
import { nextStopSignal } from '../cli/operator/stop-signal.ts';

/** Adds the command. */
export function addServeCommand(program: Command, { output }: Context): void {
  withServeFlags(program.command('serve'))
    .description('run the API and the scheduler')
    .addHelpText(
      'after',
      `
Examples:
  jobd serve
  jobd serve --port 9090 --allow-target 127.0.0.1/32:3000

Each option has an environment variable: JOBD_PORT for --port, JOBD_DATA for
--data, JOBD_ALLOW_TARGETS (comma-separated) for --allow-target. To list them:
jobd help environment`,
    )
    .action((flags: Flags) => serve(flags, output));
}

async function serve(flags: Flags, output: Output): Promise<void> {
  // First: a signal that comes while the rest is loaded must not be lost.
  const stop = nextStopSignal();
  const given = serveConfig(flags);
  const [{ drainMs, startDaemon }, { lineForm, openLog }] = await Promise.all([
    import('./daemon.ts'),
    import('../base/log.ts'),
  ]);
  const isFile = given.database === null;
  const config = isFile ? { ...given, dataDir: actAsOwner(given.dataDir).path } : given;
  const surroundings = { noColour: noColor(), journalStream: journalStream() };
  const log = openLog(config.logLevel, lineForm(config.logFormat, surroundings));
  stop.onIgnored(() => log.info('SIGHUP is ignored without a terminal: SIGTERM stops jobd'));
  if (stop.isAsked()) return log.info('jobd stopped');
  warnOfUnknown(log);
  const start = () => startDaemon(config, log);
  const daemon = isFile
    ? await start()
    : await startWaiting(start, { log, stopSignal: stop.asked });
  if (daemon === null) return log.info('jobd stopped');
  let told: Promise<void> | undefined;
  try {
    await sayStarted(daemon, { config, flags, output, log });
    const signal = await stop.asked;
    // The terminal has shown ^C: the log continues below it.
    if (output.isTerminal && signal === 'SIGINT') output.say('');
    const wait = { calls: daemon.callsInFlight(), waitMs: drainMs };
    log.info({ signal, ...wait }, 'stopping, a second signal stops at once');
    const status = `stopping, waits for ${counted(wait.calls, 'call')} in flight`;
    told = tellManager(log, 'stops', status);
  } finally {
    await daemon[Symbol.asyncDispose]();
  }
  await told;
  log.info('jobd stopped');
}

/** Settings that people are shown. */
type Shown = Pick<ServeConfig, 'host' | 'dataDir' | 'database'>;

/** Says it to people on a terminal, to the log, and to systemd. */
async function sayStarted(
  daemon: Daemon,
  { config, flags, output, log }: { config: Shown; flags: Flags; output: Output; log: Log },
): Promise<void> {
  const { url, guessedUrl } = daemon;
  // The journal gets it as a line of the log, which follows.
  if (!isJournal(journalStream(), 1)) output.data(listeningOn(config.host, url));
  if (output.isTerminal) output.say(await welcome(placeOf(config, flags), daemon));
  log.info(await daemon.describe(), 'jobd started');
  await tellManager(log, 'serves', `serves ${url}`);
  if (guessedUrl === null || output.isTerminal) return;
  log.warn(
    { siteUrl: guessedUrl },
    'receipts and links say a URL that only works on this machine: set --base-url (JOBD_BASE_URL)',
  );
}

/** A setting with a misspelt name has no effect. */
function warnOfUnknown(log: Log): void {
  for (const unknown of unknownVariables(variableNames())) {
    log.warn(unknown, 'a variable is ignored: jobd has none of this name');
  }
}

/** The line that says where it listens. */
function listeningOn(host: string, url: string): string {
  if (!isEveryAddress(host)) return `listening on ${url}`;
  const port = new URL(url).port || '80';
  return `listening on all addresses, port ${port}, without https: everybody in the network can reach it`;
}

/** What to do about a site URL that jobd guessed. */
function guessText(url: string): string {
  return `receipts and links say ${url}, which only works on this machine: set --base-url (JOBD_BASE_URL)`;
}

/** Where the data is, and how other commands are told. */
interface ShownPlace {
  words: string;
  options: string;
}

function placeOf({ dataDir: dir, database }: Shown, flags: Flags): ShownPlace {
  if (database === null) {
    return { words: dir, options: isFoundByItself(dir) ? '' : ` --data ${dir}` };
  }
  const words = withoutPassword(database);
  return { words, options: flags['database'] === undefined ? '' : ` --database ${words}` };
}

/** What people see who start it on a terminal: how to stop it, and the first steps until there is a key. */
async function welcome({ words, options }: ShownPlace, daemon: Daemon): Promise<string> {
  const { url, guessedUrl, hasAccess } = daemon;
  const guess = guessedUrl === null ? [] : [guessText(guessedUrl)];
  const lines = [...guess, `data is in ${words}; Ctrl-C stops jobd`];
  if (await hasAccess()) return lines.join('\n');
  const jobd = programName();
  return [
    ...lines,
    `no key yet: ${jobd} open${options}, in a second terminal, prints a link that signs you in`,
    '',
    'Or on the command line:',
    ...(url === defaultServerUrl ? [] : [`  export JOBD_URL=${url}`]),
    `  export JOBD_API_KEY=$(${jobd} key create --name laptop${options})`,
    `  ${jobd} jobs create --name hello --url https://example.com/ --cron '* * * * *'`,
    `  ${jobd} runs list hello`,
    '',
  ].join('\n');
}
