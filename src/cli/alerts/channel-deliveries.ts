/** `jobd channels deliveries`: what was told, or is still to be, and what came of each attempt. */

import type { Command } from 'commander';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { moment, state } from '../terminal/cell.ts';
import { createChannelClient } from './channel-client.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Context } from '../context.ts';
import { findChannel } from '../client/find-named.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Columns, Output } from '../terminal/output.ts';
import { parseWholeNumber } from '../options/whole-number.ts';

/** Adds the command. */
export function addDeliveriesCommand(channels: Command, { output }: Context): void {
  channels
    .command('deliveries')
    .description('list the latest deliveries of a channel, newest first, or the attempts of one')
    .argument('<channel>', 'id or name of the channel')
    .argument('[delivery]', 'id of a delivery, to see each of its attempts, the first one first')
    .option('--limit <n>', 'how many deliveries, 1 to 100', '50')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  jobd channels deliveries ops\n' +
        '  jobd channels deliveries ops 019a9b1c-0000-7000-8000-000000000000',
    )
    .action(async (name: string, delivery: string | undefined, flags: Flags) => {
      const client = createChannelClient(clientConfig());
      const print = { client, output, asJson: flags['json'] === true };
      const limit = parseWholeNumber(String(flags['limit']), '--limit', { min: 1, max: 100 });
      const { id } = await findChannel(client, name);
      if (delivery === undefined) await printDeliveries(id, limit, print);
      else await printAttempts(id, delivery, print);
    });
}

interface Print {
  client: ChannelClient;
  output: Output;
  asJson: boolean;
}

async function printDeliveries(
  channelId: string,
  limit: number,
  { client, output, asJson }: Print,
): Promise<void> {
  const found = await client.deliveries(channelId, limit);
  if (asJson) return printJson(output, found);
  const columns: Columns<(typeof found.deliveries)[number]> = {
    id: ({ id }) => id,
    event: ({ event }) => event,
    status: ({ status }) => state(status),
    attempts: ({ attempts }) => attempts,
    created: ({ createdAt }) => moment(createdAt),
    'last attempt': ({ lastAttemptAt }) => moment(lastAttemptAt),
    error: ({ lastError }) => lastError,
  };
  const optional = ['attempts', 'last attempt'];
  printRows(output, found.deliveries, columns, { none: 'there are no deliveries', optional });
}

async function printAttempts(
  channelId: string,
  deliveryId: string,
  { client, output, asJson }: Print,
): Promise<void> {
  const found = await client.delivery(channelId, deliveryId);
  if (asJson) return printJson(output, found);
  const columns: Columns<(typeof found.attempts)[number]> = {
    attempt: ({ number }) => number,
    'started at': ({ startedAt }) => moment(startedAt),
    'duration ms': ({ durationMs }) => durationMs,
    http: ({ httpStatus }) => httpStatus,
    error: ({ error }) => error,
  };
  printRows(output, found.attempts, columns, { none: 'there was no attempt yet' });
}
