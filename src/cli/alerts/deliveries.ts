/** `jobd channels deliveries`: the alerts sent to a channel, and each attempt. */

import type { Command } from 'commander';
import type { DeliveryList, TriedDelivery } from '../../api/alerts/contract.ts';
import type { Flags } from '../../config.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { listLimitOf, withListLimit } from '../options.ts';
import { withName } from '../resource.ts';
import { moment, state } from '../terminal/cell.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';

/** Adds the command. */
export function addDeliveriesCommand(channels: Command, context: Context): void {
  const { output } = context;
  withListLimit(
    withName(channels.command('deliveries'), 'channel').argument(
      '[delivery]',
      'id of a delivery, to list its attempts, oldest first',
    ),
  )
    .description('list the latest deliveries of a channel, newest first, or the attempts of one')
    .addHelpText(
      'after',
      `
Examples:
  jobd channels deliveries ops
  jobd channels deliveries ops 019a9b1c-0000-7000-8000-000000000000`,
    )
    .action(async (name: string, deliveryId: string | undefined, flags: Flags) => {
      const limit = listLimitOf(flags);
      const { channels: api } = connect(context);
      const { id } = await api.find(name);
      if (deliveryId === undefined) {
        const found = await api.deliveries(id, limit);
        if (flags['json']) printJson(output, found);
        else printDeliveries(output, found);
      } else {
        const found = await api.delivery(id, deliveryId);
        if (flags['json']) printJson(output, found);
        else printAttempts(output, found);
      }
    });
}

function printDeliveries(output: Output, { deliveries }: DeliveryList): void {
  printRows(
    output,
    deliveries,
    {
      event: ({ event }) => event,
      status: ({ status }) => state(status),
      attempts: ({ attempts }) => attempts,
      created: ({ createdAt }) => moment(createdAt),
      'last attempt': ({ lastAttemptAt }) => moment(lastAttemptAt),
      error: ({ lastError }) => lastError,
      id: ({ id }) => id,
    },
    { none: 'there are no deliveries', optional: ['attempts', 'last attempt'] },
  );
}

function printAttempts(output: Output, { attempts }: TriedDelivery): void {
  printRows(
    output,
    attempts,
    {
      attempt: ({ number }) => number,
      'started at': ({ startedAt }) => moment(startedAt),
      'duration ms': ({ durationMs }) => durationMs,
      http: ({ httpStatus }) => httpStatus,
      error: ({ error }) => error,
    },
    { none: 'there are no attempts yet' },
  );
}
