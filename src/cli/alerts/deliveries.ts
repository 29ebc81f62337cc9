/** `jobd channels deliveries`: the alerts sent to all channels or to one, and each attempt. */

import type { Command } from 'commander';
import type { Delivery, ListedDelivery, TriedDelivery } from '../../api/alerts/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { Api } from '../client/api.ts';
import type { Filter } from '../client/path.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { listLimitOf, withListLimit, withWide } from '../options.ts';
import { idCell, moment, state } from '../terminal/cell.ts';
import { printJson, printRows, type Output } from '../terminal/output.ts';

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
    .option('--job <job>', 'only alerts about this job, by id or name')
    .option('--monitor <monitor>', 'only alerts about this monitor, likewise')
    .description(
      'list the latest deliveries of all channels or of one, newest first, or the attempts of a delivery',
    )
    .addHelpText(
      'after',
      `
Examples:
  jobd channels deliveries
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
      const api = connect(context);
      const subject = await subjectOf(flags, api);
      const id = name === undefined ? null : (await api.channels.find(name)).id;
      if (id !== null && delivery !== undefined) {
        const found = await api.channels.delivery(id, await wholeId(api, id, delivery));
        return flags['json'] ? printJson(output, found) : printAttempts(output, found);
      }
      const found =
        id === null
          ? await api.channels.allDeliveries(limit, subject)
          : await api.channels.deliveries(id, limit, subject);
      if (flags['json']) return printJson(output, found);
      const shown = { hasChannels: id === null, isWide: flags['wide'] === true };
      printDeliveries(output, found.deliveries, shown);
    });
}

/** A delivery, with its channel where those of all are listed. */
type Listed = Delivery & Partial<Pick<ListedDelivery, 'channel'>>;

/** What the API takes as the beginning of an id. */
const prefixPattern = /^[0-9a-f-]{4,36}$/i;
/** Deliveries that are named if several fit. */
const mostNamed = 10;

/** The id of a delivery of a channel, by its beginning. Throws `not_found`, and `invalid_input` if several ids begin so. */
async function wholeId(api: Api, channelId: string, text: string): Promise<string> {
  if (isId(text.toLowerCase())) return text.toLowerCase();
  if (!prefixPattern.test(text)) {
    throw invalidInput(`a delivery is named by its id, or 4 characters of it or more; got ${text}`);
  }
  const { deliveries } = await api.channels.deliveries(channelId, mostNamed, { idPrefix: text });
  const [first, ...others] = deliveries;
  if (first === undefined) {
    throw new JobdError(
      'not_found',
      `no delivery of this channel has an id that begins with ${text}`,
    );
  }
  if (others.length === 0) return first.id;
  const number = deliveries.length < mostNamed ? deliveries.length : `${mostNamed} or more`;
  throw new JobdError(
    'invalid_input',
    `the ids of ${number} deliveries begin with ${text}: use more of it`,
    { notes: deliveries.map(({ id, event, status }) => `${id}  ${event}  ${status}`) },
  );
}

/** The job or monitor that the options name. */
async function subjectOf({ job, monitor }: Flags, api: Api): Promise<Filter> {
  if (typeof job === 'string') return { jobId: (await api.jobs.find(job)).id };
  if (typeof monitor === 'string') return { monitorId: (await api.monitors.find(monitor)).id };
  return {};
}

/** Prints a table of deliveries, with their channels if those of all are listed. */
export function printDeliveries(
  output: Output,
  deliveries: readonly Listed[],
  shown: { hasChannels: boolean; isWide: boolean },
): void {
  printRows(
    output,
    deliveries,
    {
      ...(shown.hasChannels && { channel: ({ channel }: Listed) => channel?.name ?? null }),
      // One of a few words, as a state is: it is never cut.
      event: ({ event }) => state(event),
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
      optional: ['created', 'id', 'attempts', 'last attempt'],
      leastText: 12,
      isWide: shown.isWide,
    },
  );
}

function printAttempts(output: Output, { attempts }: TriedDelivery): void {
  printRows(
    output,
    attempts,
    {
      attempt: ({ number }) => number,
      started: ({ startedAt }) => moment(startedAt),
      ms: ({ durationMs }) => durationMs,
      http: ({ httpStatus }) => httpStatus,
      error: ({ error }) => error,
    },
    { none: 'there are no attempts yet' },
  );
}
