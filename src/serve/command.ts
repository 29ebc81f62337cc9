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
import type { Demo } from './house.ts';
import { addedByWings } from './wings.ts';
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

const demoHelp = 'serve a month or two of made-up history to look around in, and keep nothing';

/** Adds the command. */
export function addServeCommand(program: Command, { output }: Context): void {
  const command = withServeFlags(program.command('serve'));
  if (addedByWings.demo !== undefined) command.option('--demo', demoHelp);
  command
    .description('run the API and the scheduler')
    .addHelpText(
      'after',
      `
Examples:
  jobd serve
  jobd serve --port 9090 --allow-target 127.0.0.1:3000
  jobd serve --demo

Each option has an environment variable: JOBD_PORT for --port, JOBD_DATA for
--data, JOBD_ALLOW_TARGETS (comma-separated) for --allow-target. To list them:
jobd help environment`,
    )
    .action((flags: Flags) => serve(flags, givenIn(command), output));
}

/** The options that somebody gave: others have values of their own. */
function givenIn(command: Command): Flags {
  const isGiven = ([name]: [string, unknown]) => command.getOptionValueSource(name) === 'cli';
  return Object.fromEntries(Object.entries(command.opts<Flags>()).filter(isGiven));
}

async function serve(flags: Flags, options: Flags, output: Output): Promise<void> {
  // First: a signal that comes while the rest is loaded must not be lost.
  const stop = nextStopSignal();
  const prepareDemo = flags['demo'] === true ? await addedByWings.demo?.() : undefined;
  await using demo = (await prepareDemo?.(options)) ?? null;
  const given = demo?.config ?? serveConfig(flags);
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
    await sayStarted(daemon, { config, flags, output, log, demo });
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

/** What is said of a start, and where. */
interface Told {
  config: Shown;
  flags: Flags;
  output: Output;
  log: Log;
  demo: Demo | null;
}

/** Says it to people on a terminal, to the log, and to systemd. */
async function sayStarted(
  daemon: Daemon,
  { config, flags, output, log, demo }: Told,
): Promise<void> {
  const { url, guessedUrl } = daemon;
  // The journal gets it as a line of the log, which follows.
  if (!isJournal(journalStream(), 1)) output.data(listeningOn(config.host, url));
  if (demo !== null) output.say(await demo.fill(url));
  else if (output.isTerminal) output.say(await welcome(placeOf(config, flags), daemon));
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
