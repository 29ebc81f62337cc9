/** `jobd channels deliveries`: the alerts sent to a channel, and each attempt. */

import type { Command } from 'commander';
import type { DeliveryList, TriedDelivery } from '../../api/alerts/contract.ts';
import type { Flags } from '../../config.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Api } from '../client/api.ts';
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
    .option('--job <job>', 'only alerts about this job, by id or name')
    .option('--monitor <monitor>', 'only alerts about this monitor, by id or name')
    .description('list the latest deliveries of a channel, newest first, or the attempts of one')
    .addHelpText(
      'after',
      `
Examples:
  jobd channels deliveries ops
  jobd channels deliveries ops --job backup
  jobd channels deliveries ops 019a9b1c-0000-7000-8000-000000000000`,
    )
    .action(async (name: string, deliveryId: string | undefined, flags: Flags) => {
      const limit = listLimitOf(flags);
      if (flags['job'] !== undefined && flags['monitor'] !== undefined) {
        throw invalidInput('use either --job or --monitor, not both');
      }
      const api = connect(context);
      const { channels: items } = api;
      const { id } = await items.find(name);
      if (deliveryId === undefined) {
        const found = await items.deliveries(id, limit, await subjectOf(flags, api));
        if (flags['json']) printJson(output, found);
        else printDeliveries(output, found);
      } else {
        const found = await items.delivery(id, deliveryId);
        if (flags['json']) printJson(output, found);
        else printAttempts(output, found);
      }
    });
}

/** The job or monitor that the options name. */
async function subjectOf(
  { job, monitor }: Flags,
  api: Api,
): Promise<{ jobId?: string; monitorId?: string }> {
  if (typeof job === 'string') return { jobId: (await api.jobs.find(job)).id };
  if (typeof monitor === 'string') return { monitorId: (await api.monitors.find(monitor)).id };
  return {};
}

function printDeliveries(output: Output, { deliveries }: DeliveryList): void {
  printRows(
    output,
    deliveries,
    {
      event: ({ event }) => event,
      about: ({ subject }) => subject && subject.name,
      status: ({ status }) => state(status),
      attempts: ({ attempts }) => attempts,
      created: ({ createdAt }) => moment(createdAt),
      'last attempt': ({ lastAttemptAt }) => moment(lastAttemptAt),
      error: ({ lastError }) => lastError,
      id: ({ id }) => id,
    },
    { none: 'there are no deliveries', optional: ['about', 'attempts', 'last attempt'] },
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
