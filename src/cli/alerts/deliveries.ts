/** `jobd channels deliveries`: the alerts sent to a channel, and each attempt. */

import type { Command } from 'commander';
import type { DeliveryList, TriedDelivery } from '../../api/alerts/contract.ts';
import type { Flags } from '../../config.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { isWide, listLimitOf, mostListed, withListLimit, withWide } from '../options.ts';
import { idCell, moment, state } from '../terminal/cell.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';

/** Adds the command. */
export function addDeliveriesCommand(channels: Command, context: Context): void {
  const { output } = context;
  const command = channels
    .command('deliveries')
    .argument('[channel]', 'name of the channel, its id or the beginning of its id')
    .argument(
      '[delivery]',
      'id of a delivery or its beginning, to list its attempts, oldest first',
    );
  withWide(withListLimit(command))
    .option('--job <job>', 'only alerts about this job, by id or name; without a channel, of all')
    .option('--monitor <monitor>', 'only alerts about this monitor, likewise')
    .description('list the latest deliveries of a channel, newest first, or the attempts of one')
    .addHelpText(
      'after',
      `
Examples:
  jobd channels deliveries ops
  jobd channels deliveries ops --job backup
  jobd channels deliveries --job backup
  jobd channels deliveries ops 019a9b1c`,
    )
    .action(async (name: string | undefined, delivery: string | undefined, flags: Flags) => {
      const limit = listLimitOf(flags);
      const { job, monitor } = flags;
      if (job !== undefined && monitor !== undefined) {
        throw invalidInput('use either --job or --monitor, not both');
      }
      if (name === undefined && job === undefined && monitor === undefined) {
        throw new JobdError(
          'usage',
          'name a channel, or say about what: --job JOB or --monitor MONITOR',
        );
      }
      const api = connect(context, { waits: name === undefined });
      const wide = isWide(flags);
      const subject = await subjectOf(flags, api);
      if (name === undefined) {
        const found = await ofAllChannels(api, limit, subject);
        if (flags['json']) return printJson(output, { deliveries: found });
        return printDeliveries(output, found, wide);
      }
      const { id } = await api.channels.find(name);
      if (delivery === undefined) {
        const found = await api.channels.deliveries(id, limit, subject);
        if (flags['json']) printJson(output, found);
        else printDeliveries(output, found.deliveries, wide);
      } else {
        const found = await api.channels.delivery(id, await wholeId(api, id, delivery));
        if (flags['json']) printJson(output, found);
        else printAttempts(output, found);
      }
    });
}

/** A delivery with its channel, where several are listed together. */
type Listed = DeliveryList['deliveries'][number] & { channelName?: string };

/** The latest deliveries of all channels, newest first. */
async function ofAllChannels(api: Api, limit: number, subject: Subject): Promise<Listed[]> {
  const found: Listed[] = [];
  for await (const { id, name: channelName } of api.channels.list()) {
    const { deliveries } = await api.channels.deliveries(id, limit, subject);
    found.push(...deliveries.map((delivery) => ({ ...delivery, channelName })));
  }
  return found.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
}

/** The id of a delivery, by its beginning among the latest. Throws `not_found` and `conflict`. */
async function wholeId(api: Api, channelId: string, text: string): Promise<string> {
  const beginning = text.toLowerCase();
  if (isId(beginning)) return beginning;
  const { deliveries } = await api.channels.deliveries(channelId, mostListed, {});
  const found = deliveries.filter(({ id }) => id.startsWith(beginning));
  const [first] = found;
  if (first === undefined) {
    throw new JobdError(
      'not_found',
      `no delivery of this channel has an id that begins with ${text}`,
    );
  }
  if (found.length > 1) {
    throw new JobdError(
      'invalid_input',
      `the ids of ${found.length} deliveries begin with ${text}: give more of it`,
    );
  }
  return first.id;
}

interface Subject {
  jobId?: string;
  monitorId?: string;
}

/** The job or monitor that the options name. */
async function subjectOf({ job, monitor }: Flags, api: Api): Promise<Subject> {
  if (typeof job === 'string') return { jobId: (await api.jobs.find(job)).id };
  if (typeof monitor === 'string') return { monitorId: (await api.monitors.find(monitor)).id };
  return {};
}

function printDeliveries(output: Output, deliveries: readonly Listed[], wide: boolean): void {
  const hasChannels = deliveries.some(({ channelName }) => channelName !== undefined);
  printRows(
    output,
    deliveries,
    {
      ...(hasChannels && { channel: ({ channelName }: Listed) => channelName ?? null }),
      event: ({ event }) => event,
      about: ({ subject }) => subject && subject.name,
      status: ({ status }) => state(status),
      attempts: ({ attempts }) => attempts,
      created: ({ createdAt }) => moment(createdAt),
      'last attempt': ({ lastAttemptAt }) => moment(lastAttemptAt),
      error: ({ lastError }) => lastError,
      id: ({ id }) => idCell(id),
    },
    {
      none: 'there are no deliveries',
      optional: ['attempts', 'last attempt', 'created'],
      isWide: wide,
    },
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
