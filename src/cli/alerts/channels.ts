/** `jobd channels`: where alerts go, over the API. */

import type { Command } from 'commander';
import type { Channel, ChannelMade, ChannelUpdate } from '../../api/alerts/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { channelFields } from '../../domain/alerts/fields.ts';
import { channelTypes } from '../../domain/alerts/kinds/registry.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import type { Context } from '../context.ts';
import { givenFields, settingsOf, withFieldOptions, withOffOptions } from '../fields.ts';
import { parseChoice } from '../../settings/setting.ts';
import { createNamed, withNameOptions } from '../create-named.ts';
import { addResourceCommands, printItem, type Resource } from '../resource.ts';
import { fitsNothing } from '../selection.ts';
import { idCell } from '../terminal/cell.ts';
import { printFields, printJson, type Output } from '../terminal/output.ts';
import { configHelp, configOf, withConfigOptions } from './config-options.ts';
import { servedOf, servedWords, withServedOptions } from './served.ts';
import { waitOf } from './advice.ts';
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
    'last delivery': (channel) =>
      [lastDeliveryText(channel), waitOf(channel).waits].filter(Boolean).join('; ') || null,
    id: ({ id }) => idCell(id),
  },
  optionalColumns: ['id'],
  print: printChannel,
  withOptions: (command) =>
    withOffOptions(withChannelOptions(command, { isNew: false }), channelFields)
      .option('--enable', 'send alerts from now on')
      .option('--all-jobs', 'send alerts of every job')
      .addHelpText('after', updateHelp),
  exampleOptions: ' --disable',
  updateOf,
  belongings: 'deliveries',
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
    .requiredOption('--type <type>', channelTypes.join(', '));
  withNameOptions(withChannelOptions(command, { isNew: true }), 'channel')
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
      const api = connect(context, { waits: true });
      const config = (await configOf(flags, type)) ?? {};
      const rest = await givenOf(flags, api);
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
      if (made.secret !== undefined) {
        printFields(output, { secret: made.secret });
        output.say('keep the secret: it checks who sends the alerts, and is not shown again');
      }
      const nothing = await fitsNothing(made.channel.selector, api);
      if (nothing !== null) output.say(nothing);
    });
}

function withChannelOptions(command: Command, { isNew }: { isNew: boolean }): Command {
  return withServedOptions(
    withConfigOptions(withFieldOptions(command, channelFields, { isNew })),
  ).option('--disable', 'send no alerts');
}

async function updateOf(flags: Flags, api: Api): Promise<ChannelUpdate> {
  const config = await configOf(flags);
  return { ...(await givenOf(flags, api)), ...(config !== undefined && { config }) };
}

/** The fields that the options give, without the config. */
async function givenOf(flags: Flags, api: Api): Promise<Omit<ChannelUpdate, 'config'>> {
  if (flags['enable'] && flags['disable']) {
    throw invalidInput('use either --enable or --disable, not both');
  }
  if (typeof flags['remindEvery'] === 'string' && flags['reminders'] === false) {
    throw invalidInput('use either --remind-every or --no-reminders, not both');
  }
  return {
    ...(await givenFields<ChannelUpdate>(flags, channelFields)),
    ...(flags['enable'] === true && { enabled: true }),
    ...(flags['disable'] === true && { enabled: false }),
    ...(await servedOf(flags, api)),
  };
}

function lastDeliveryText({ lastDelivery, consecutiveFailures }: Channel): string | null {
  if (lastDelivery === null) return null;
  const { event, status, lastError } = lastDelivery;
  const why = lastError === null ? '' : `: ${lastError}`;
  const many = consecutiveFailures > 1 ? ` (${consecutiveFailures} failed in a row)` : '';
  return `${event} ${status}${why}${many}`;
}

async function printChannel(output: Output, channel: Channel, context: Context): Promise<void> {
  printFields(output, {
    name: channel.name,
    type: channel.type,
    destination: channel.destination,
    ...(await servedWords(channel, connect(context))),
    ...settingsOf(channelFields, channel, ['name', 'selector']),
    'last delivery': lastDeliveryText(channel),
    ...waitOf(channel),
    id: channel.id,
  });
}
