/** `jobd channels`: where alerts go, over the API. */

import type { Command } from 'commander';
import type { Channel, ChannelMade, ChannelUpdate, Delivery } from '../../api/alerts/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { channelLimits } from '../../domain/alerts/channel.ts';
import { channelTypes } from '../../domain/alerts/kinds/registry.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { collect } from '../options.ts';
import { parseChoice, parseWholeNumber } from '../../settings/setting.ts';
import { createNamed, withNameOptions } from '../create-named.ts';
import { addResourceCommands, printItem } from '../resource.ts';
import type { Resource } from '../resource.ts';
import { idCell } from '../terminal/cell.ts';
import { printFields, printJson } from '../terminal/output.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../../domain/counted.ts';
import { configHelp, configOf, withConfigOptions } from './config-options.ts';
import { coverageOf, idsOf, moreWords, servedWords, withCoverageOptions } from './coverage.ts';
import { addDeliveriesCommand } from './deliveries.ts';
import { addTestCommand } from './test-command.ts';

const updateHelp = `
What says where alerts are sent replaces all of that: give each field that the
type needs (see jobd channels create --help). A webhook keeps its secret.`;

const resource: Resource<Channel, ChannelUpdate> = {
  noun: 'channel',
  example: 'ops',
  of: (api) => api.channels,
  columns: {
    name: ({ name }) => name,
    type: ({ type }) => type,
    enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
    'last delivery': lastDeliveryText,
    id: ({ id }) => idCell(id),
  },
  optionalColumns: ['id'],
  print: printChannel,
  withOptions: (command) =>
    withCoverageOptions(withChannelOptions(command))
      .option('--name <name>', 'name of the channel')
      .option('--enable', 'send alerts from now on')
      .option('--all-jobs', 'send alerts of every job')
      .addHelpText('after', updateHelp),
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
  const command = channels
    .command('create')
    .description('create a channel')
    .requiredOption('--name <name>', 'name of the channel')
    .requiredOption('--type <type>', channelTypes.join(', '));
  withNameOptions(withCoverageOptions(withChannelOptions(command)), 'channel')
    .addHelpText(
      'after',
      `
Examples:
  jobd channels create --name ops --type webhook \\
    --url https://ops.example.com/alerts
  jobd channels create --name ann --type email --to ann@example.com
  jobd channels create --name chat --type slack --url @slack-url.txt \\
    --job backup --after-failures 2

${configHelp()}`,
    )
    .action(async (flags: Flags & { name: string; type: string }) => {
      const { name } = flags;
      const type = parseChoice(flags.type, '--type', channelTypes);
      const api = connect(context);
      const config = (await configOf(flags, type)) ?? {};
      const rest = await settingsOf(flags, api);
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

function withChannelOptions(command: Command): Command {
  return withConfigOptions(command)
    .option(
      '--job <job>',
      'only alerts of this job, by id or name; may be repeated (default: every job)',
      collect,
    )
    .option('--after-failures <n>', 'alert after N failures in a row')
    .option('--disable', 'send no alerts');
}

async function updateOf(flags: Flags, api: Api): Promise<ChannelUpdate> {
  const config = await configOf(flags);
  return { ...(await settingsOf(flags, api)), ...(config !== undefined && { config }) };
}

/** The fields that the options give, without the config. */
async function settingsOf(flags: Flags, api: Api): Promise<Omit<ChannelUpdate, 'config'>> {
  const { name, afterFailures, job } = flags;
  if (flags['enable'] && flags['disable']) {
    throw invalidInput('use either --enable or --disable, not both');
  }
  return {
    ...(typeof name === 'string' && { name }),
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
    ...(Array.isArray(job) && { jobIds: await idsOf(job, api.jobs) }),
    ...(await coverageOf(flags, api)),
  };
}

function deliveryText({ event, status, lastError }: Delivery): string {
  return `${event} ${status}${lastError === null ? '' : `: ${lastError}`}`;
}

function lastDeliveryText({ lastDelivery, consecutiveFailures }: Channel): string | null {
  if (lastDelivery === null) return null;
  const many = consecutiveFailures > 1 ? ` (${consecutiveFailures} failed in a row)` : '';
  return `${deliveryText(lastDelivery)}${many}`;
}

function printChannel(output: Output, channel: Channel): void {
  const { afterFailures } = channel;
  printFields(output, {
    name: channel.name,
    type: channel.type,
    destination: channel.destination,
    enabled: channel.enabled ? 'yes' : 'no',
    ...servedWords(channel),
    'alert after': `${counted(afterFailures, 'failure')} in a row`,
    ...moreWords(channel),
    'last delivery': lastDeliveryText(channel),
    id: channel.id,
  });
}
