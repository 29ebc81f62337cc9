/** `jobd ping`: tells a monitor how a task is, or runs a command and tells how it went. */

import type { Command } from 'commander';
import type { Flags } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { printJson } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { deliver, patienceMs, signalUrl } from './pinger.ts';
import { startWrapped } from './wrapped.ts';

/** Adds the command. */
export function addPingCommand(program: Command, context: Context): void {
  program
    .command('ping')
    .argument('<url>', 'URL of the monitor, as jobd monitors get shows it')
    .argument('[command...]', 'command to run, behind --')
    .usage('[options] <url> [-- command…]')
    .description('tell a monitor that a task has run, or run it and tell how it went')
    .option('--start', 'say that a run begins')
    .option('--fail', 'say that a run has failed')
    .option('--output', 'send the last 4096 bytes of the output of the command along')
    .option('--json', 'print one JSON document; not with a command, whose output it would spoil')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd ping https://jobs.example.com/ping/5c1f0f5e-8f63-4a39-9d0c-7a1d52b4e9f8\n' +
        '  30 2 * * * jobd ping https://jobs.example.com/ping/5c1f… -- backup --all\n' +
        '\nThe command gets the standard streams and signals, and its exit code is passed\n' +
        'on (128 and the number for a signal). It runs whether or not a ping can be\n' +
        'delivered: that is said on stderr.',
    )
    .action(async (url: string, command: string[], flags: Flags) => {
      if (command.length > 0) await pingAround(context, url, command, flags);
      else await pingOnce(context, url, flags);
    });
}

async function pingOnce({ output, argv }: Context, url: string, flags: Flags): Promise<void> {
  if (argv.includes('--')) throw new JobdError('usage', 'there is no command behind --');
  if (flags['output']) throw new JobdError('usage', '--output needs a command');
  const words = (['start', 'fail'] as const).filter((flag) => flags[flag]);
  if (words.length > 1) throw new JobdError('usage', '--start and --fail exclude each other');
  if (!isPingUrl(url)) throw new JobdError('usage', badUrl);
  const [signal] = words;
  const target = signal === undefined ? url : signalUrl(url, signal);
  const failure = await deliver(target, null, new AbortController().signal);
  if (failure !== null) throw failure;
  if (flags['json']) printJson(output, { ok: true });
}

/** Nothing about the pings keeps the command from running, or changes how it ends. */
async function pingAround(
  context: Context,
  url: string,
  command: readonly string[],
  flags: Flags,
): Promise<void> {
  for (const flag of ['start', 'fail', 'json']) {
    if (flags[flag]) throw new JobdError('usage', `--${flag} does not go with a command`);
  }
  const say = (words: string): void => context.output.say(`jobd: ${plain(words)}`);
  const hasUrl = isPingUrl(url);
  if (!hasUrl) say(`no ping is sent: ${badUrl}`);
  const hasEnded = new AbortController();
  const isUnwanted = new AbortController();
  const wrapped = startWrapped(command, {
    keepOutput: flags['output'] === true,
    onSignal: () => isUnwanted.abort(),
  });
  // The command does not wait for this ping; the next one does, so that they arrive in order.
  const started = hasUrl ? deliver(signalUrl(url, 'start'), null, hasEnded.signal) : null;
  const { exitCode, output, failure } = await wrapped.ended;
  hasEnded.abort();
  const endedAt = performance.now();
  context.exitCode = exitCode;
  if (failure !== null) say(`the command cannot be run: ${failure}`);
  const notStarted = await started;
  const notEnded = hasUrl
    ? await deliver(
        signalUrl(url, exitCode),
        output || null,
        isUnwanted.signal,
        // Both pings together must not hold up the task for longer than one may.
        patienceMs - (performance.now() - endedAt),
      )
    : null;
  wrapped.release();
  const undelivered = notEnded ?? notStarted;
  if (undelivered === null) return;
  const which = notEnded === null ? 'the start' : 'the end';
  say(`${which} of the run could not be told: ${undelivered.message}`);
}

const badUrl = 'the URL must be that of a monitor, such as https://jobs.example.com/ping/5c1f…';

/** Any path: whether a monitor is there is the server's to say. */
function isPingUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '';
}
