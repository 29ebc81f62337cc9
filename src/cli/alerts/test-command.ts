/** `jobd channels test`: sends a test, and says what came of it. */

import type { Command } from 'commander';
import type { Channel, TriedDelivery } from '../../api/alerts/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { connect } from '../client/connect.ts';
import { wordFor } from '../client/find.ts';
import { waitUntil, waitVisibly } from '../client/wait.ts';
import type { Context } from '../context.ts';
import { interruptedExitCode, runExitCodes } from '../exit-codes.ts';
import { parseSeconds } from '../options.ts';
import { withName } from '../resource.ts';
import { printJson } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { adviceOn, waitOf } from './advice.ts';

/** Adds the command. */
export function addTestCommand(channels: Command, context: Context): void {
  const { output } = context;
  withName(channels.command('test'), 'channel')
    .description('send a test alert, and wait until it is delivered or has failed')
    .option('--no-wait', 'print the id of the delivery at once')
    .option('--timeout <duration>', 'longest wait', '30s')
    .addHelpText('after', '\nExample:\n  jobd channels test ops')
    .action(async (name: string, flags: Flags & { timeout: string }) => {
      const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1_000;
      const { channels: api } = connect(context);
      const channel = await api.find(name);
      const delivery = await api.test(channel.id);
      if (flags['wait'] === false) {
        if (flags['json']) printJson(output, { delivery });
        else output.data(delivery.id);
        return;
      }
      let isInterrupted = false;
      const tried = await waitVisibly(
        `waiting for the test of ${plain(channel.name)}`,
        async (signal) => {
          const ask = () => api.delivery(channel.id, delivery.id);
          const options = { isOver: isTried, timeoutMs, signal };
          const state = await waitUntil<TriedDelivery>(ask, { delivery, attempts: [] }, options);
          isInterrupted = signal.aborted;
          return state;
        },
      );
      const tested = isTried(tried) ? await api.get(channel.id) : channel;
      report(context, flags, tested, tried, isInterrupted);
    });
}

/** After the first attempt it is known whether the channel works; a failure is tried again for a day. */
function isTried({ delivery: { status, attempts } }: TriedDelivery): boolean {
  return status !== 'pending' || attempts > 0;
}

function report(
  context: Context,
  flags: Flags,
  channel: Channel,
  tried: TriedDelivery,
  isInterrupted: boolean,
): void {
  const { output } = context;
  const { delivery, attempts } = tried;
  const isDelivered = delivery.status === 'delivered';
  const unknown = isInterrupted ? interruptedExitCode : runExitCodes.running;
  context.exitCode = isDelivered ? 0 : isTried(tried) ? 1 : unknown;
  if (flags['json']) printJson(output, tried);
  else if (isDelivered) {
    const { httpStatus = null, durationMs = 0 } = attempts.at(-1) ?? {};
    const answer = httpStatus === null ? 'taken by the mail server' : `HTTP ${httpStatus}`;
    output.data(`delivered to ${plain(channel.name)} (${answer}, ${durationMs} ms)`);
  } else if (isTried(tried)) {
    const why = plain(delivery.lastError ?? 'no reason is known');
    const advice = adviceOn(channel, attempts.at(-1)?.httpStatus ?? null);
    output.say(`jobd: the test of ${plain(channel.name)} was not delivered: ${why}`);
    if (advice !== null) output.say(advice);
    if (delivery.status === 'pending') output.say('jobd tries again for a day');
    const { waits } = waitOf(channel);
    if (waits !== undefined) output.say(waits);
  } else {
    output.say(
      `the test still waits; to see it: jobd channels deliveries ${wordFor(channel)} ${delivery.id}`,
    );
  }
}
