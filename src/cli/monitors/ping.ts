/** `jobd ping`: sends a ping to a monitor, or runs a command and reports its result. */

import type { Command } from 'commander';
import type { Flags } from '../../settings/config.ts';
import { JobdError, messageOf } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { printJson } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { findPingUrl, splitWords } from './ping-url.ts';
import { deliver, patienceMs, signalUrl } from './pinger.ts';
import { startWrapped } from './wrapped.ts';

/** Adds the command. */
export function addPingCommand(program: Command, context: Context): void {
  program
    .command('ping')
    .argument('[url]', 'ping URL of the monitor, or @FILE; default: JOBD_PING_URL')
    .argument('[command...]', 'command to run, after --')
    .usage('[options] [url] [-- command…]')
    .description('send a ping to a monitor, or run a command and report its result')
    .option('--start', 'report that a run begins')
    .option('--fail', 'report that a run failed')
    .option('--output', 'also send the last 4096 bytes of the output of the command')
    .option('--json', 'print one JSON document; not together with a command')
    .addHelpText(
      'after',
      `
Examples:
  jobd ping https://jobs.example.com/ping/5c1f0f5e-8f63-4a39-9d0c-7a1d52b4e9f8
  30 2 * * * /usr/local/bin/jobd ping https://jobs.example.com/ping/5c1f… -- job
  30 2 * * * /usr/local/bin/jobd ping @/etc/backup-ping -- job

jobd monitors get shows the URL. It is a secret, and every user of a machine can
read the arguments of a running command. So on a shared machine put the URL into
a file that only its owner can read, or into the variable JOBD_PING_URL.

jobd passes the standard streams and signals to the command, and ends with its
exit code (128 plus the number for a signal). The command also runs if a ping
cannot be delivered; jobd then warns on stderr.`,
    )
    .action(async (url: string | undefined, rest: string[], flags: Flags) => {
      const { given, command } = splitWords([url ?? [], rest].flat(), context.argv);
      if (command.length > 0) await pingAround(context, given, command, flags);
      else await pingOnce(context, given, flags);
    });
}

async function pingOnce(
  { output, argv }: Context,
  given: string | null,
  flags: Flags,
): Promise<void> {
  if (argv.includes('--')) throw new JobdError('usage', 'there is no command after --');
  if (flags['output']) throw new JobdError('usage', '--output needs a command');
  const words = (['start', 'fail'] as const).filter((flag) => flags[flag]);
  if (words.length > 1) throw new JobdError('usage', 'use either --start or --fail, not both');
  const url = await findPingUrl(given);
  const [signal] = words;
  const target = signal === undefined ? url : signalUrl(url, signal);
  const failure = await deliver(target, null, new AbortController().signal);
  if (failure !== null) throw failure;
  if (flags['json']) printJson(output, { ok: true });
}

/** Pings never keep the command from running, and never change its exit code. */
async function pingAround(
  context: Context,
  given: string | null,
  command: readonly string[],
  flags: Flags,
): Promise<void> {
  for (const flag of ['start', 'fail', 'json']) {
    if (flags[flag]) throw new JobdError('usage', `--${flag} cannot be used with a command`);
  }
  const say = (words: string): void => context.output.say(`jobd: ${plain(words)}`);
  const url = await findPingUrl(given).catch((error: unknown) => {
    say(`no pings are sent: ${messageOf(error)}`);
    return null;
  });
  const hasEnded = new AbortController();
  const isUnwanted = new AbortController();
  const wrapped = startWrapped(command, {
    keepOutput: flags['output'] === true,
    onSignal: () => isUnwanted.abort(),
  });
  // The command does not wait for this ping. The finish ping does, so that both arrive in order.
  const started = url === null ? null : deliver(signalUrl(url, 'start'), null, hasEnded.signal);
  const { exitCode, output, failure } = await wrapped.ended;
  hasEnded.abort();
  const endedAt = performance.now();
  context.exitCode = exitCode;
  if (failure !== null) say(`cannot run the command: ${failure}`);
  const notStarted = await started;
  const notEnded =
    url === null
      ? null
      : await deliver(
          signalUrl(url, exitCode),
          output || null,
          isUnwanted.signal,
          // Both pings together may delay the task no longer than one may.
          patienceMs - (performance.now() - endedAt),
        );
  wrapped.release();
  const undelivered = notEnded ?? notStarted;
  if (undelivered === null) return;
  const which = notEnded === null ? 'start' : 'finish';
  say(`could not send the ${which} ping: ${undelivered.message}`);
}
