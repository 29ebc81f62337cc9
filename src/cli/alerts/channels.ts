/** `jobd channels`: where alerts go, over the API. */

import type { Command } from 'commander';
import type { Channel, ChannelMade, ChannelUpdate, Delivery } from '../../api/alerts/contract.ts';
import type { Flags } from '../../config.ts';
import { channelLimits } from '../../domain/alerts/channel.ts';
import { configSummary } from '../../domain/alerts/config.ts';
import { channelTypes } from '../../domain/alerts/kinds/registry.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { collect, textOrFile } from '../options.ts';
import { parseChoice, parseWholeNumber } from '../../setting.ts';
import {
  addResourceCommands,
  createNamed,
  printItem,
  withName,
  withNameOptions,
} from '../resource.ts';
import type { Resource } from '../resource.ts';
import { idCell } from '../terminal/cell.ts';
import { printFields, printJson } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/text.ts';
import { addDeliveriesCommand } from './deliveries.ts';

const resource: Resource<Channel, ChannelUpdate> = {
  noun: 'channel',
  example: 'ops',
  of: (api) => api.channels,
  columns: {
    name: ({ name }) => name,
    type: ({ type }) => type,
    enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
    'last delivery': ({ lastDelivery }) => lastDelivery && deliveryText(lastDelivery),
    id: ({ id }) => idCell(id),
  },
  optionalColumns: ['id'],
  print: printChannel,
  withOptions: (command) =>
    withChannelOptions(command)
      .option('--name <name>', 'name of the channel')
      .option('--enable', 'send alerts from now on')
      .option('--all-jobs', 'send alerts of every job'),
  exampleOptions: ' --disable',
  updateOf,
  belongings: 'its deliveries',
  statuses: [],
  all: (api) => api.channels.list(),
};

/** Adds the commands. */
export function addChannelCommands(program: Command, context: Context): void {
  const channels = program.command('channels').description('manage where alerts are sent');
  addCreateCommand(channels, context);
  addResourceCommands(channels, context, resource);
  addTestCommand(channels, context);
  addDeliveriesCommand(channels, context);
}

function addCreateCommand(channels: Command, context: Context): void {
  const { output } = context;
  withNameOptions(
    withChannelOptions(channels.command('create').description('create a channel')),
    'channel',
  )
    .requiredOption('--name <name>', 'name of the channel')
    .requiredOption('--type <type>', channelTypes.join(', '))
    .addHelpText(
      'after',
      `
Examples:
  echo '{"url":"https://ops.example.com/alerts"}' |
    jobd channels create --name ops --type webhook --config -
  jobd channels create --name chat --type slack --config @slack.json \\
    --job backup --after-failures 2

The config is JSON and holds secrets. It is read from a file or standard input,
so that the list of processes does not show it. Its fields, by type:
${configSummary()
  .map((line) => `  ${line}`)
  .join('\n')}`,
    )
    .action(async (flags: Flags & { name: string; type: string }) => {
      const { name } = flags;
      const type = parseChoice(flags.type, '--type', channelTypes);
      const api = connect(context);
      const { config, ...rest } = await updateOf(flags, api);
      if (config === undefined) throw invalidInput('--config is required');
      const { channels: items } = api;
      const made = await createNamed<Channel, ChannelMade, ChannelUpdate>(
        { noun: 'channel', items, name, flags },
        {
          create: () => items.create({ ...rest, name, type, config }),
          change: async (found) => {
            if (found.type !== type)
              throw invalidInput(`${name} is a ${found.type} channel: a channel keeps its type`);
            return { channel: await items.update(found.id, { ...rest, config }) };
          },
        },
      );
      if (flags['json']) return printJson(output, made);
      await printItem(context, resource, flags, made.channel);
      if (made.secret !== undefined) printFields(output, { secret: made.secret });
    });
}

function addTestCommand(channels: Command, context: Context): void {
  const { output } = context;
  withName(channels.command('test'), 'channel')
    .description('send a test alert; see deliveries for the result')
    .addHelpText('after', '\nExample:\n  jobd channels test ops')
    .action(async (name: string, flags: Flags) => {
      const { channels: api } = connect(context);
      const delivery = await api.test((await api.find(name)).id);
      if (flags['json']) printJson(output, { delivery });
      else output.data(delivery.id);
    });
}

function withChannelOptions(command: Command): Command {
  return command
    .option('--config <@file|->', 'JSON config of the destination: a file or standard input')
    .option(
      '--job <job>',
      'only alerts of this job, by id or name; may be repeated (default: every job)',
      collect,
    )
    .option('--after-failures <n>', 'alert after N failures in a row')
    .option('--disable', 'send no alerts');
}

async function updateOf(flags: Flags, api: Api): Promise<ChannelUpdate> {
  const { name, config, afterFailures, job } = flags;
  if (flags['enable'] && flags['disable']) {
    throw invalidInput('use either --enable or --disable, not both');
  }
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof config === 'string' && { config: await configOf(config) }),
    ...(typeof afterFailures === 'string' && {
      afterFailures: parseWholeNumber(
        afterFailures,
        '--after-failures',
        channelLimits.afterFailures,
      ),
    }),
    ...(flags['enable'] === true && { enabled: true }),
    ...(flags['disable'] === true && { enabled: false }),
    ...(flags['allJobs'] === true && { jobIds: null }),
    ...(Array.isArray(job) && { jobIds: await idsOf(job, api) }),
  };
}

async function idsOf(names: readonly string[], { jobs }: Api): Promise<string[]> {
  return await Promise.all(names.map(async (name) => (await jobs.find(name)).id));
}

async function configOf(source: string): Promise<Record<string, string>> {
  if (source !== '-' && !source.startsWith('@')) {
    throw invalidInput('--config must be @FILE or -, as it holds secrets');
  }
  const text = await textOrFile(source, '--config');
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    throw invalidInput('--config must hold one JSON object');
  }
}

function deliveryText({ event, status, lastError }: Delivery): string {
  return `${event} ${status}${lastError === null ? '' : `: ${lastError}`}`;
}

function printChannel(output: Output, channel: Channel): void {
  const { jobIds, lastDelivery, afterFailures } = channel;
  printFields(output, {
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled ? 'yes' : 'no',
    jobs: jobIds === null ? 'all' : jobIds.join(' '),
    'alert after': `${counted(afterFailures, 'failure')} in a row`,
    'last delivery': lastDelivery && deliveryText(lastDelivery),
    id: channel.id,
  });
}
