/** `jobd serve`: the daemon, until it is told to stop. */

import type { Command } from 'commander';
import { dataDir, defaultServerUrl, serveConfig, serveDefaults } from '../../config.ts';
import type { Flags, ServeConfig } from '../../config.ts';
import { collect } from '../options/collect.ts';
import type { Context } from '../context.ts';
import { actAsOwner } from './owner.ts';

/** Adds the command. */
export function addServeCommand(program: Command, { output }: Context): void {
  program
    .command('serve')
    .description('run the API and the scheduler')
    .option('--host <address>', `address to listen on (default ${serveDefaults.host})`)
    .option(
      '--port <port>',
      `port to listen on, 0 takes a free one (default ${serveDefaults.port})`,
    )
    .option('--data <dir>', 'data directory (default ~/.local/share/jobd)')
    .option('--base-url <url>', 'site URL people reach this service by')
    .option('--slots <n>', `calls in flight at most (default ${serveDefaults.slots})`)
    .option(
      '--slots-per-host <n>',
      `calls in flight to one host name at most (default ${serveDefaults.slotsPerHost})`,
    )
    .option(
      '--allow-target <cidr[:port|:*]>',
      'also call these addresses or ports of your own; may be repeated',
      collect,
    )
    .option(
      '--cors-origin <origin>',
      'let pages of this origin ask the API from a browser; may be repeated',
      collect,
    )
    .option('--smtp-url <url>', 'server that mails of alerts go out by')
    .option(
      '--mail-allow <address|domain>',
      'let mail channels send here only; may be repeated',
      collect,
    )
    .option('--heartbeat-url <url>', 'called each minute while the scheduler is healthy')
    .option('--metrics <host:port>', 'also listen here for GET /metrics, for Prometheus')
    .option('--no-signing', 'issue no receipts')
    .option(
      '--log-level <level>',
      `fatal, error, warn, info, debug, trace or silent (default ${serveDefaults.logLevel})`,
    )
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd serve\n' +
        '  jobd serve --port 9090 --allow-target 127.0.0.1/32:3000\n' +
        '\nEvery option can be set in the environment too: --port as JOBD_PORT, --data as\n' +
        'JOBD_DATA, --allow-target as JOBD_ALLOW_TARGETS (separated by commas), and so\n' +
        'on: jobd help environment has them all.',
    )
    .action(async (flags: Flags) => {
      const given = serveConfig(flags);
      const [{ startDaemon }, { openLog }] = await Promise.all([
        import('../../daemon.ts'),
        import('../../log.ts'),
      ]);
      const { path } = actAsOwner(given.dataDir);
      const config = { ...given, dataDir: path };
      const log = openLog(config.logLevel);
      const stopSignal = nextStopSignal();
      await using daemon = await startDaemon(config, log);
      output.data(`listening on ${daemon.url}`);
      if (output.isTerminal) output.say(nextSteps(config, daemon.url));
      log.info({ signal: await stopSignal }, 'stopping, a second signal stops at once');
    });
}

/** The first signal is caught; a second one finds no handler and ends the process. */
function nextStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', onSignal);
      process.off('SIGINT', onSignal);
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** What a person who sees this for the first time does next, in words that can be pasted. */
function nextSteps({ dataDir: dir }: ServeConfig, url: string): string {
  const jobd = process.argv[1]?.endsWith('.cjs') ? 'bin/jobd' : process.argv0;
  const data = dir === dataDir({}) ? '' : ` --data ${dir}`;
  return [
    `data in ${dir}, stop with Ctrl-C`,
    '',
    'Next, in a second terminal:',
    ...(url === defaultServerUrl ? [] : [`  export JOBD_URL=${url}`]),
    `  export JOBD_API_KEY=$(${jobd} key create --name laptop${data})`,
    `  ${jobd} jobs create --name hello --url https://example.com/ --cron '* * * * *'`,
    `  ${jobd} runs list hello`,
    '',
  ].join('\n');
}
