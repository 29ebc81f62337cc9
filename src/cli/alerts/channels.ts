/** `jobd channels`: where alerts go, over the API. */

import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Channel, ChannelUpdate, Delivery } from '../../api/alerts/contract.ts';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { channelLimits, channelTypes } from '../../domain/alerts/channel.ts';
import type { ChannelType } from '../../domain/alerts/channel.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { createChannelClient } from './channel-client.ts';
import type { ChannelClient } from './channel-client.ts';
import { addDeliveriesCommand } from './channel-deliveries.ts';
import { createClient } from '../client/client.ts';
import { collect } from '../options/collect.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { counted } from '../terminal/counted.ts';
import { findChannel, findJob } from '../client/find-named.ts';
import { printFields, printJson, printRows } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import { parseWholeNumber } from '../options/whole-number.ts';

/** Adds the commands. */
export function addChannelCommands(program: Command, context: Context): void {
  const { output } = context;
  const channels = program.command('channels').description('where alerts go');

  withOptions(channels.command('create').description('create a channel'))
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--type <type>', channelTypes.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  echo \'{"url":"https://ops.example.com/alerts"}\' |\n' +
        '    jobd channels create --name ops --type webhook --config -\n' +
        '  jobd channels create --name chat --type slack --config @slack.json \\\n' +
        '    --job backup --after-failures 2\n' +
        '\nThe config is JSON and holds secrets; from a file or standard input it does not\n' +
        'show in the list of processes. webhook: url, secret; email: to; slack, discord:\n' +
        'url; telegram: botToken, chatId; ntfy: url, token.',
    )
    .action(async (flags: Flags & { name: string; type: string }) => {
      const { name } = flags;
      const type = typeOf(flags.type);
      const { config, ...rest } = await updateOf(flags);
      if (config === undefined) throw invalidInput('--config is required');
      const made = await client().create({ ...rest, name, type, config });
      if (flags['json']) return printJson(output, made);
      printChannel(context, made.channel);
      if (made.secret !== undefined) printFields(output, { secret: made.secret });
    });

  channels
    .command('list')
    .description('list all channels of the workspace, newest first')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd channels list')
    .action(async (flags: Flags) => {
      const found = await Array.fromAsync(client().list());
      if (flags['json']) return printJson(output, { channels: found });
      printRows(
        output,
        found,
        {
          id: ({ id }) => id,
          name: ({ name }) => name,
          type: ({ type }) => type,
          enabled: ({ enabled }) => (enabled ? 'yes' : 'no'),
          'last delivery': ({ lastDelivery }) => lastDelivery && deliveryText(lastDelivery),
        },
        { none: 'there are no channels' },
      );
    });

  named(channels, 'get', 'show a channel with its last delivery').action(
    async (name: string, flags: Flags) => {
      const channel = await findChannel(client(), name);
      if (flags['json']) printJson(output, { channel });
      else printChannel(context, channel);
    },
  );

  withOptions(channels.command('update').argument('<channel>', 'id or name of the channel'))
    .description('change a channel: only what is given changes')
    .option('--name <name>', 'what it is called')
    .option('--enable', 'tell it of what happens from now on')
    .option('--all-jobs', 'serve every job')
    .addHelpText('after', '\nExample:\n  jobd channels update ops --disable')
    .action(async (name: string, flags: Flags) => {
      const update = await updateOf(flags);
      const api = client();
      const { id } = await findChannel(api, name);
      const channel = await api.update(id, update);
      if (flags['json']) printJson(output, { channel });
      else printChannel(context, channel);
    });

  named(channels, 'delete', 'delete a channel with its deliveries')
    .option('--yes', 'do not ask')
    .action(async (name: string, flags: Flags) => {
      const api = client();
      const channel = await findChannel(api, name);
      await confirm(`Delete channel ${plain(channel.name)}?`, flags['yes'] === true);
      await api.delete(channel.id);
      if (flags['json']) printJson(output, { ok: true });
      else output.say(`deleted ${channel.id}`);
    });

  named(channels, 'test', 'send a test; its deliveries tell what came of it').action(
    async (name: string, flags: Flags) => {
      const api = client();
      const delivery = await api.test((await findChannel(api, name)).id);
      if (flags['json']) printJson(output, { delivery });
      else output.data(delivery.id);
    },
  );

  addDeliveriesCommand(channels, context);
}

function client(): ChannelClient {
  return createChannelClient(clientConfig());
}

function named(channels: Command, command: string, description: string): Command {
  return channels
    .command(command)
    .argument('<channel>', 'id or name of the channel')
    .description(description)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExample:\n  jobd channels ${command} ops`);
}

function withOptions(command: Command): Command {
  return command
    .option('--config <@file|->', 'where it delivers to, as JSON: a file, or standard input')
    .option(
      '--job <job>',
      'id or name of a job it serves; may be repeated (default: every job)',
      collect,
    )
    .option('--after-failures <n>', 'tell it after so many failures in a row')
    .option('--disable', 'tell it nothing')
    .option('--json', 'print one JSON document');
}

/** The fields that the options give. */
async function updateOf(flags: Flags): Promise<ChannelUpdate> {
  const { name, config, afterFailures, job } = flags;
  if (flags['enable'] && flags['disable']) {
    throw invalidInput('--enable and --disable exclude each other, give one of them');
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
    ...(Array.isArray(job) && { jobIds: await idsOf(job) }),
  };
}

async function idsOf(names: readonly string[]): Promise<string[]> {
  const api = createClient(clientConfig());
  return await Promise.all(names.map(async (name) => (await findJob(api, name)).id));
}

async function configOf(source: string): Promise<Record<string, string>> {
  if (source !== '-' && !source.startsWith('@')) {
    throw invalidInput('--config must be @FILE or -, as it holds secrets');
  }
  const text = source === '-' ? await readStream(process.stdin) : await readText(source.slice(1));
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    throw invalidInput('--config must hold one JSON object');
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new JobdError('usage', `--config names a file that cannot be read, got ${file}`, {
      cause: error,
    });
  }
}

function typeOf(text: string): ChannelType {
  const type = channelTypes.find((known) => known === text);
  if (type !== undefined) return type;
  throw invalidInput(`--type must be one of ${channelTypes.join(', ')}, got ${text}`);
}

function deliveryText({ event, status, lastError }: Delivery): string {
  return `${event} ${status}${lastError === null ? '' : `: ${lastError}`}`;
}

function printChannel({ output }: Context, channel: Channel): void {
  const { jobIds, lastDelivery, afterFailures } = channel;
  printFields(output, {
    id: channel.id,
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled ? 'yes' : 'no',
    jobs: jobIds === null ? 'all' : jobIds.join(' '),
    'told after': `${counted(afterFailures, 'failure')} in a row`,
    'last delivery': lastDelivery && deliveryText(lastDelivery),
  });
}
