/** `jobd serve`: the daemon. */

import type { Command } from 'commander';
import {
  isFoundByItself,
  defaultServerUrl,
  isEveryAddress,
  journalStream,
  noColor,
  serveConfig,
  serveDefaults,
  variableNames,
} from '../settings/config.ts';
import type { Flags, ServeConfig } from '../settings/config.ts';
import type { Daemon } from './daemon.ts';
import { isJournal } from '../base/journal.ts';
import { withoutPassword } from '../settings/setting.ts';
import type { Log } from '../base/log.ts';
import { unknownVariables } from '../cli/manual/unknown-variables.ts';
import { collect } from '../cli/options.ts';
import type { Context } from '../cli/context.ts';
import { actAsOwner } from '../cli/operator/owner/owner.ts';
import { programName } from '../cli/operator/program-name.ts';
import { tellReady } from '../cli/operator/service-manager.ts';
import { startWaiting } from '../cli/operator/start-waiting.ts';
import { nextStopSignal } from '../cli/operator/stop-signal.ts';

/** Adds the command. */
export function addServeCommand(program: Command, { output }: Context): void {
  program
    .command('serve')
    .description('run the API and the scheduler')
    .option('--host <address>', `address to listen on (default ${serveDefaults.host})`)
    .option(
      '--port <port>',
      `port to listen on, 0 for any free one (default ${serveDefaults.port})`,
    )
    .option('--data <dir>', 'data directory (default ~/.local/share/jobd)')
    .option('--database <url>', 'PostgreSQL database instead of a file; without a password')
    .option(
      '--max-database-size <size>',
      'remove history before its time to keep the database file below this, such as 20GiB',
    )
    .option('--base-url <url>', 'public URL of this server')
    .option('--slots <n>', `maximum calls in flight (default ${serveDefaults.slots})`)
    .option(
      '--slots-per-host <n>',
      `maximum calls in flight to one host name (default ${serveDefaults.slotsPerHost})`,
    )
    .option(
      '--allow-target <cidr[:port|:*]>',
      'let jobs call these private addresses or ports; may be repeated',
      collect,
    )
    .option(
      '--cors-origin <origin>',
      'let pages of this origin use the API from a browser; may be repeated',
      collect,
    )
    .option(
      '--trusted-proxy <cidr>',
      'believe X-Forwarded-For of this proxy; may be repeated',
      collect,
    )
    .option('--smtp-url <url>', 'SMTP server for alert email')
    .option(
      '--mail-allow <address|domain>',
      'only send alert email to this; may be repeated',
      collect,
    )
    .option('--heartbeat-url <url>', 'URL to call each minute while the scheduler is healthy')
    .option('--metrics <host:port>', 'address to serve Prometheus metrics on, at GET /metrics')
    .option('--backup-to <dir>', 'make backups by itself, in this directory')
    .option(
      '--backup-every <duration>',
      `how often, at least 1m (default ${serveDefaults.backupEvery})`,
    )
    .option(
      '--backup-keep <duration|n>',
      `how long to keep them, or how many (default ${serveDefaults.backupKeep})`,
    )
    .option(
      '--backup-recipient <age1…>',
      'encrypt them with age, for whom this is the public key; may be repeated',
      collect,
    )
    .option('--no-signing', 'sign no receipts')
    .option('--trace-context', 'send a W3C traceparent header with each call')
    .option(
      '--log-level <level>',
      `fatal, error, warn, info, debug, trace or silent (default ${serveDefaults.logLevel})`,
    )
    .option('--log-format <format>', 'human or json (default human on a terminal, else json)')
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
    .action(async (flags: Flags) => {
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
      try {
        // The journal gets it as a line of the log, which follows.
        if (!isJournal(journalStream(), 1)) output.data(listeningOn(config.host, daemon.url));
        if (output.isTerminal) output.say(await welcome(placeOf(config, flags), daemon));
        log.info(await daemon.describe(), 'jobd started');
        await tellReady(log);
        const { guessedUrl } = daemon;
        if (guessedUrl !== null && !output.isTerminal) {
          log.warn(
            { siteUrl: guessedUrl },
            'receipts and links say a URL that only works on this machine: set --base-url (JOBD_BASE_URL)',
          );
        }
        const signal = await stop.asked;
        // The terminal has shown ^C: the log goes on below it.
        if (output.isTerminal && signal === 'SIGINT') output.say('');
        const wait = { calls: daemon.callsInFlight(), waitMs: drainMs };
        log.info({ signal, ...wait }, 'stopping, a second signal stops at once');
      } finally {
        await daemon[Symbol.asyncDispose]();
      }
      log.info('jobd stopped');
    });
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

function placeOf({ dataDir: dir, database }: ServeConfig, flags: Flags): ShownPlace {
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
